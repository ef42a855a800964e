"""Plans of BoxNet3D in physics: ``mujoco`` is imported when a plan is replayed (``planproof[mujoco]``)::

    from planproof.boxnet3d import replay
    result = replay(row)                  # a row of `planproof boxnet solve --json`, with its plan
    result.contacts, result.goal          # what touched what in which step; whether objects ended at their targets

    python -m planproof.boxnet3d tasks3d.jsonl [--paths rrt]

Every robot is an arm of six joints with the published dimensions of the UR5e and round links of our own. Its tip
follows the way that the exact judge looks at (docs/BOXNET.md), at travel height; it goes down to take an object
and to set it down. Joint angles come from inverse kinematics in closed form. With ``paths="rrt"`` a way with
contacts is replaced by one that RRT-connect finds among the arms at rest, where it finds one.

Contacts are those of MuJoCo's collision detection at every sample of the motion; there are no forces. The judge decides
by the rules in the plane, where arms have no thickness: a valid plan may have contacts here.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Sequence

__all__ = ["Contact", "Replay", "arm_angles", "model_text", "replay", "rrt_connect", "tip_of", "way"]

# Dimensions of the UR5e in metres, as its maker publishes them (DH parameters), and offsets between its links.
SHOULDER_HEIGHT = 0.1625
UPPER_ARM, FOREARM = 0.425, 0.3922
SHOULDER_OFFSET, ELBOW_OFFSET, WRIST_OFFSET = 0.138, -0.131, 0.1263  # sideways; together d4 = 0.1333
WRIST_2, WRIST_3 = 0.0997, 0.0996
SIDE = SHOULDER_OFFSET + ELBOW_OFFSET + WRIST_OFFSET

#: The tool, an object's cube, and the heights of the tip: on the way, and when an object is taken or set down.
TOOL, CUBE, TRAVEL, GRASP = 0.1, 0.06, 0.25, 0.07
#: The distance between two samples of a way, and of joint angles in RRT-connect, in metres and radians.
SAMPLE, JOINT_SAMPLE = 0.02, 0.05
CELL = 1.1

Angles = tuple[float, float, float, float, float, float]
Point = tuple[float, float]


def arm_angles(x: float, y: float, z: float) -> Angles:
    """The joint angles that bring the tip, pointing down, to a place seen from the foot of the base: elbow up.
    ValueError if the arm does not reach it."""
    distance = math.hypot(x, y)
    if distance <= SIDE:
        raise ValueError(f"the arm does not reach ({x:.3f}, {y:.3f}): too near to its base")
    out = math.sqrt(distance * distance - SIDE * SIDE)
    pan = math.atan2(y, x) - math.atan2(SIDE, out)
    along, up = out - WRIST_2, z + WRIST_3 + TOOL - SHOULDER_HEIGHT
    reach = math.hypot(along, up)
    if not abs(UPPER_ARM - FOREARM) < reach < UPPER_ARM + FOREARM:
        raise ValueError(f"the arm does not reach ({x:.3f}, {y:.3f}, {z:.3f})")
    at_shoulder = math.acos((UPPER_ARM**2 + reach**2 - FOREARM**2) / (2 * UPPER_ARM * reach))
    at_elbow = math.acos((UPPER_ARM**2 + FOREARM**2 - reach**2) / (2 * UPPER_ARM * FOREARM))
    lift = math.atan2(along, up) - at_shoulder
    elbow = math.pi - at_elbow
    return (pan, lift, elbow, math.pi / 2 - lift - elbow, -math.pi / 2, 0.0)


def tip_of(q: Sequence[float]) -> tuple[float, float, float]:
    """Where the tip is, seen from the foot of the base, for angles of a tool that points down."""
    upper, fore = q[1], q[1] + q[2]
    out = UPPER_ARM * math.sin(upper) + FOREARM * math.sin(fore) + WRIST_2
    up = SHOULDER_HEIGHT + UPPER_ARM * math.cos(upper) + FOREARM * math.cos(fore) - WRIST_3 - TOOL
    return (out * math.cos(q[0]) - SIDE * math.sin(q[0]), out * math.sin(q[0]) + SIDE * math.cos(q[0]), up)


def way(base: Point, start: Point, end: Point) -> Callable[[float], Point]:
    """The way of a tip from start to end as a function of the part that is done, from 0 to 1: an arc at the
    smaller distance from the base, the shorter way, and a straight part (docs/BOXNET.md)."""
    (r, a), (s, b) = ((math.hypot(p[0] - base[0], p[1] - base[1]), math.atan2(p[1] - base[1], p[0] - base[0])) for p in (start, end))
    turn = (b - a) % (2 * math.pi)
    if turn > math.pi + 1e-9:
        turn -= 2 * math.pi
    near = min(r, s)
    length = near * abs(turn) + abs(r - s)

    def at(part: float) -> Point:
        done = part * length
        inwards = max(0.0, r - near)
        if done < inwards:
            radius, angle = r - done, a
        elif done - inwards < near * abs(turn):
            radius, angle = near, a + math.copysign((done - inwards) / near, turn)
        else:
            radius, angle = near + min(s - near, max(0.0, done - inwards - near * abs(turn))), a + turn
        return (base[0] + radius * math.cos(angle), base[1] + radius * math.sin(angle))

    return at


def _capsule(name: str, to: Sequence[float], radius: float) -> str:
    end = " ".join(f"{v:g}" for v in to)
    return f'<geom name="{name}" type="capsule" fromto="0 0 0 {end}" size="{radius:g}"/>'


def _arm_text(n: int, base: Point) -> str:
    """One arm as MJCF: six links, each a body in the one before it, along z where all angles are 0."""
    links = [
        ("pan", (0, 0, SHOULDER_HEIGHT), "0 0 1", (0, SHOULDER_OFFSET, 0), 0.058),
        ("lift", (0, SHOULDER_OFFSET, 0), "0 1 0", (0, 0, UPPER_ARM), 0.05),
        ("elbow", (0, ELBOW_OFFSET, UPPER_ARM), "0 1 0", (0, 0, FOREARM), 0.042),
        ("wrist1", (0, 0, FOREARM), "0 1 0", (0, WRIST_OFFSET, 0), 0.038),
        ("wrist2", (0, WRIST_OFFSET, 0), "0 0 1", (0, 0, WRIST_2), 0.038),
        ("wrist3", (0, 0, WRIST_2), "0 1 0", (0, WRIST_3, 0), 0.036),
    ]
    text = [f'<body name="robot{n}" pos="{base[0]:g} {base[1]:g} 0">',
            f'<geom name="robot{n}-foot" type="cylinder" size="0.07 {(SHOULDER_HEIGHT - 0.06) / 2:g}" pos="0 0 {(SHOULDER_HEIGHT - 0.06) / 2:g}"/>']
    for name, pos, axis, to, radius in links:
        place = " ".join(f"{v:g}" for v in pos)
        text += [f'<body name="robot{n}-{name}" pos="{place}">', f'<joint name="robot{n}-{name}" axis="{axis}"/>', _capsule(f"robot{n}-{name}", to, radius)]
    text.append(f'<geom name="robot{n}-tool" type="capsule" fromto="0 {WRIST_3:g} 0 0 {WRIST_3 + TOOL - 0.012:g} 0" size="0.012"/>')
    text.append(f'<site name="robot{n}-tip" pos="0 {WRIST_3 + TOOL:g} 0" size="0.01"/>')
    return "\n".join(text) + "</body>" * (len(links) + 1)


def model_text(row: Mapping[str, Any]) -> str:
    """The task as MJCF: arms, cubes, marks of their targets, and obstacles."""
    width, height = (CELL * n for n in row["map"])
    parts = [_arm_text(n, _point(robot["base"])) for n, robot in enumerate(row["robots"])]
    for n, thing in enumerate(row["objects"]):
        x, y = thing["at"]
        parts.append(f'<body name="object{n}" pos="{x:g} {y:g} {CUBE / 2:g}"><freejoint/><geom name="object{n}" type="box" size="{CUBE / 2:g} {CUBE / 2:g} {CUBE / 2:g}"/></body>')
        x, y = thing["target"]
        parts.append(f'<site name="target{n}" type="cylinder" pos="{x:g} {y:g} 0" size="0.06 0.001"/>')
    for n, pillar in enumerate(row.get("obstacles") or []):
        x, y = pillar["at"]
        parts.append(f'<geom name="obstacle{n}" type="cylinder" pos="{x:g} {y:g} {pillar["height"] / 2:g}" size="{pillar["radius"]:g} {pillar["height"] / 2:g}"/>')
    return ('<mujoco model="boxnet3d"><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>'
            f'<light pos="{width / 2:g} {height / 2:g} 3"/>' + "\n".join(parts) + "</worldbody></mujoco>")


@dataclass(frozen=True)
class Contact:
    """Two things that touched: robots by their names, objects and obstacles likewise."""

    step: int
    first: str
    second: str
    #: The deepest overlap, in metres.
    depth: float


@dataclass
class Replay:
    """What became of a plan."""

    steps: int = 0
    contacts: list[Contact] = field(default_factory=list)
    #: Whether every object is at its target; how far at most a tip was from where it should be, in metres.
    goal: bool = False
    error: float = 0.0
    #: Moves whose way RRT-connect has replaced.
    replanned: int = 0

    def text(self) -> str:
        """The result for people."""
        end = "all objects are at their targets" if self.goal else "some objects are not at their targets"
        lines = [f"step {c.step}: {c.first} and {c.second} touch ({c.depth * 1000:.0f} mm)" for c in self.contacts]
        return "\n".join([*lines, f"{self.steps} steps, {len(self.contacts)} contacts, {end}"])


def _point(pair: Sequence[float]) -> Point:
    return (float(pair[0]), float(pair[1]))


def _move(text: str) -> tuple[Point, bool]:
    """The end of a move, and whether it carries."""
    place, carry = text[text.rindex("["):].split("]")
    x, y = json.loads(place + "]")
    return (float(x), float(y)), "True" in carry


def rrt_connect(start: Sequence[float], goal: Sequence[float], free: Callable[[Sequence[float]], bool], rng: random.Random,
                tries: int = 400, step: float = 0.15) -> list[list[float]] | None:
    """A way of joint angles from start to goal on which free holds, by two trees that grow towards each other
    (Kuffner and LaValle 2000); None if none is found."""
    trees = [{tuple(start): None}, {tuple(goal): None}]

    def towards(a: Sequence[float], b: Sequence[float]) -> list[float]:
        d = math.dist(a, b)
        return list(b) if d <= step else [u + (v - u) * step / d for u, v in zip(a, b)]

    def clear(a: Sequence[float], b: Sequence[float]) -> bool:
        n = max(1, math.ceil(math.dist(a, b) / JOINT_SAMPLE))
        return all(free([u + (v - u) * k / n for u, v in zip(a, b)]) for k in range(1, n + 1))

    def extend(tree: dict[Any, Any], to: Sequence[float]) -> tuple[float, ...] | None:
        near = min(tree, key=lambda q: math.dist(q, to))
        new = tuple(towards(near, to))
        if new in tree or not clear(near, new):
            return new if new in tree else None
        tree[new] = near
        return new

    def trace(tree: dict[Any, Any], q: Any) -> list[list[float]]:
        path = []
        while q is not None:
            path.append(list(q))
            q = tree[q]
        return path

    for n in range(tries):
        grow, other = trees[n % 2], trees[1 - n % 2]
        target = list(goal if n % 2 == 0 else start) if n < 2 else [u + rng.uniform(-0.8, 0.8) for u in rng.choice([start, goal])]
        new = extend(grow, target)
        while new is not None:
            reached = extend(other, new)
            if reached is None:
                break
            if reached == new:
                halves = [trace(trees[0], new), trace(trees[1], new)]
                return halves[0][::-1] + halves[1][1:]
    return None


class _Scene:
    """A task in MuJoCo, and where everything is."""

    def __init__(self, row: Mapping[str, Any]):
        import mujoco

        self.mj, self.row = mujoco, row
        self.model = mujoco.MjModel.from_xml_string(model_text(row))
        self.data = mujoco.MjData(self.model)
        self.robots = [robot["name"] for robot in row["robots"]]
        self.bases = [_point(robot["base"]) for robot in row["robots"]]
        self.tips = [_point(robot["arm"]) for robot in row["robots"]]
        self.objects = [_point(thing["at"]) for thing in row["objects"]]
        self.owner = [self._owner(self.mj.mj_id2name(self.model, self.mj.mjtObj.mjOBJ_GEOM, g)) for g in range(self.model.ngeom)]
        for n in range(len(self.robots)):
            self.put(n, self.angles(n, self.tips[n], TRAVEL))
        self.mj.mj_forward(self.model, self.data)

    def _owner(self, geom: str) -> str:
        """The name of the robot, object or obstacle that a part of the model belongs to."""
        kind, number = re.fullmatch(r"(robot|object|obstacle)(\d+).*", geom).groups()  # type: ignore[union-attr]
        return str(self.row[kind + "s"][int(number)]["name"])

    def angles(self, robot: int, tip: Point, z: float) -> Angles:
        base = self.bases[robot]
        return arm_angles(tip[0] - base[0], tip[1] - base[1], z)

    def put(self, robot: int, q: Sequence[float]) -> None:
        self.data.qpos[6 * robot:6 * robot + 6] = q

    def tip(self, robot: int) -> tuple[float, ...]:
        return tuple(float(v) for v in self.data.site(f"robot{robot}-tip").xpos)

    def place(self, thing: int, x: float, y: float, z: float) -> None:
        first = 6 * len(self.robots) + 7 * thing
        self.data.qpos[first:first + 3] = (x, y, z)

    def touching(self, carried: Mapping[str, str]) -> Iterator[tuple[str, str, float]]:
        """What touches what now, but for a robot, itself and the object that it carries."""
        for c in self.data.contact[:self.data.ncon]:
            a, b = sorted(self.owner[g] for g in (c.geom1, c.geom2))
            if c.dist < 0 and a != b and carried.get(a) != b and carried.get(b) != a:
                yield a, b, -float(c.dist)


@dataclass
class _Motion:
    """One robot in a step: joint angles for going down and up, along, and down and up, as many as it takes."""

    robot: int
    end: Point
    thing: int | None
    phases: list[list[Angles]]


_PHASES = 5  # down, up, along, down, up: the object goes along from the second to the fourth


def _column(scene: _Scene, robot: int, at: Point, down: bool) -> list[Angles]:
    heights = [TRAVEL + (GRASP - TRAVEL) * k / 8 for k in range(9)]
    return [scene.angles(robot, at, z) for z in (heights if down else heights[::-1])]


def _motions(scene: _Scene, step: Mapping[str, str]) -> list[_Motion]:
    motions, taken = [], set()
    for name, text in step.items():
        robot = scene.robots.index(name)
        end, carry = _move(text)
        start, thing = scene.tips[robot], None
        if carry:
            near = [n for n, p in enumerate(scene.objects) if n not in taken and math.dist(p, start) < 0.1]
            if not near:
                raise ValueError(f"{name} carries nothing: no object is at {start}")
            thing = min(near, key=lambda n: math.dist(scene.objects[n], start))
            taken.add(thing)
        at = way(scene.bases[robot], start, end)
        count = max(2, math.ceil(math.dist(start, end) * 2 / SAMPLE))
        along = [scene.angles(robot, at(k / count), TRAVEL) for k in range(count + 1)]
        still: list[Angles] = []
        down, up = (_column(scene, robot, start, True), _column(scene, robot, start, False)) if carry else (still, still)
        last_down, last_up = (_column(scene, robot, end, True), _column(scene, robot, end, False)) if carry else (still, still)
        motions.append(_Motion(robot, end, thing, [down, up, along, last_down, last_up]))
    return motions


def _carry_out(scene: _Scene, motions: Sequence[_Motion], number: int, result: Replay) -> None:
    """Plays the phases of all motions of a step at the same time, and notes contacts."""
    deepest: dict[tuple[str, str], float] = {}
    for phase in range(_PHASES):
        frames = max((len(m.phases[phase]) for m in motions), default=0)
        carried = {scene.robots[m.robot]: str(scene.row["objects"][m.thing]["name"]) for m in motions if m.thing is not None}
        for frame in range(frames):
            for m in motions:
                own = m.phases[phase]
                if own:
                    scene.put(m.robot, own[frame * (len(own) - 1) // max(1, frames - 1)])
            scene.mj.mj_kinematics(scene.model, scene.data)
            for m in motions:
                if m.thing is not None and 1 <= phase <= 3:
                    x, y, z = scene.tip(m.robot)
                    scene.place(m.thing, x, y, max(CUBE / 2, z - GRASP + CUBE / 2))
            scene.mj.mj_forward(scene.model, scene.data)
            for a, b, depth in scene.touching(carried):
                deepest[a, b] = max(deepest.get((a, b), 0.0), depth)
    for m in motions:
        x, y, z = scene.tip(m.robot)
        result.error = max(result.error, math.dist((x, y, z), (*m.end, TRAVEL)))
        scene.tips[m.robot] = m.end
        if m.thing is not None:
            scene.objects[m.thing] = m.end
            scene.place(m.thing, *m.end, CUBE / 2)
    result.contacts += [Contact(number, a, b, depth) for (a, b), depth in sorted(deepest.items())]


def _replan(scene: _Scene, m: _Motion, rng: random.Random) -> bool:
    """Replaces the way of a motion that touches something among the arms at rest; reports whether it has."""
    keep = scene.data.qpos.copy()
    own = scene.robots[m.robot]

    def free(q: Sequence[float]) -> bool:
        scene.put(m.robot, q)
        scene.mj.mj_forward(scene.model, scene.data)
        mine = None if m.thing is None else str(scene.row["objects"][m.thing]["name"])
        return not any(own in (a, b) for a, b, _ in scene.touching({own: mine} if mine else {}))

    along = m.phases[2]
    found = None
    if not all(free(q) for q in along) and free(along[0]) and free(along[-1]):
        found = rrt_connect(along[0], along[-1], free, rng)
    scene.data.qpos[:] = keep
    scene.mj.mj_forward(scene.model, scene.data)
    if found is None:
        return False
    m.phases[2] = [(*a,) for k, b in enumerate(found[1:]) for a in _between(found[k], b)]
    return True


def _between(a: Sequence[float], b: Sequence[float]) -> Iterator[Angles]:
    n = max(1, math.ceil(math.dist(a, b) / JOINT_SAMPLE))
    for k in range(n + 1):
        q = [u + (v - u) * k / n for u, v in zip(a, b)]
        yield (q[0], q[1], q[2], q[3], q[4], q[5])


def replay(row: Mapping[str, Any], plan: Sequence[Mapping[str, str]] | None = None, paths: str = "arc", seed: int = 0) -> Replay:
    """Plays a plan, by default that of the row, and returns contacts and whether objects end at their targets. The
    plan should be valid: a move that no arm can make is a ValueError."""
    if paths not in ("arc", "rrt"):
        raise ValueError(f"paths is arc or rrt, not {paths!r}")
    if row.get("dimensions") != 3:
        raise ValueError('the row is no task of BoxNet3D: "dimensions" is not 3')
    scene, result, rng = _Scene(row), Replay(), random.Random(seed)
    for number, step in enumerate(row["plan"] if plan is None else plan, 1):
        motions = _motions(scene, step)
        if paths == "rrt":
            result.replanned += sum(_replan(scene, m, rng) for m in motions)
        _carry_out(scene, motions, number, result)
        result.steps = number
    result.goal = all(math.dist(at, thing["target"]) < 1e-9 for at, thing in zip(scene.objects, row["objects"]))
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Replays the plans of rows; the exit code is 1 if some objects do not come to their targets."""
    parser = argparse.ArgumentParser(prog="python -m planproof.boxnet3d", description="Replays plans of BoxNet3D in MuJoCo and prints contacts.")
    parser.add_argument("file", help="rows of planproof boxnet solve --json; - is standard input")
    parser.add_argument("--paths", choices=("arc", "rrt"), default="arc", help="ways that are replaced where they touch something: none, or by RRT-connect")
    parser.add_argument("--seed", type=int, default=0, help="of RRT-connect")
    asked = parser.parse_args(arguments)
    reached = True
    with sys.stdin if asked.file == "-" else open(asked.file, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            result = replay(row, paths=asked.paths, seed=asked.seed)
            reached = reached and result.goal
            print(f"{row.get('id')}: {result.text()}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
