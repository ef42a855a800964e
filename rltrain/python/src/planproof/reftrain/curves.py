"""Curves of training runs: CSV files in, one SVG out. Standard library only; the same
numbers give the same bytes.

A line is the mean over seeds, the band around it their range. Lines differ by colour *and*
by dashes, and the legend stands beside the panels, where it covers nothing.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence
from xml.sax.saxutils import escape

from .stats import mean

# Okabe and Ito's palette without its yellow, which is too light for lines on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#333333")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 2")
TEXT = "#1a1a1a"
FONT = "Helvetica, Arial, sans-serif"

Points = Sequence["tuple[float, float]"]


@dataclass(frozen=True)
class Panel:
    """One plot: for each line the runs (one a seed) that it sums up. ``y_range`` fixes the
    axis, as (0, 1) for shares; ``smooth`` is the number of points of the trailing mean."""

    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Sequence[Points]]
    y_range: "tuple[float, float] | None" = None
    smooth: int = 1


def read_csv(path: str | Path, x: str, y: str) -> list["tuple[float, float]"]:
    """The points of two columns, in order of x. Rows where either is empty are left out; where
    an x comes twice (a run that was resumed) the later one counts. Raises ValueError with the place."""
    points: dict[float, float] = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for name in (x, y):
            if name not in (reader.fieldnames or ()):
                raise ValueError(f"{path}:1:1: error[column]: there is no column {name!r}")
        for row in reader:
            if not row[x] or not row[y]:
                continue
            try:
                at, value = float(row[x]), float(row[y])
            except ValueError as err:
                raise ValueError(f"{path}:{reader.line_num}:1: error[number]: {err}") from None
            if math.isfinite(at) and math.isfinite(value):
                points[at] = value
    return sorted(points.items())


def aggregate(runs: Sequence[Points], smooth: int = 1) -> list["tuple[float, float, float, float]"]:
    """(x, mean, least, most) where all runs have a point."""
    if not runs:
        return []
    tables = [dict(_trailing(run, smooth)) for run in runs]
    shared = sorted(set(tables[0]).intersection(*tables[1:]))
    out = []
    for x in shared:
        values = [t[x] for t in tables]
        out.append((x, mean(values), min(values), max(values)))
    return out


def _trailing(run: Points, n: int) -> Points:
    return [(x, mean([v for _, v in run[max(0, i + 1 - n):i + 1]])) for i, (x, _) in enumerate(run)]


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from low to high, some ``about`` of them."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    raw = span / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def svg(panels: Sequence[Panel], *, title: str = "", columns: int = 2, width: int = 420, height: int = 270) -> str:
    """The panels as one picture, with one legend for all."""
    if not panels:
        raise ValueError("a figure without panels")
    names = list(dict.fromkeys(name for p in panels for name in p.lines))
    columns = min(columns, len(panels))
    top, legend = (34 if title else 8), 60 + 8 * max((len(n) for n in names), default=0)
    total_w = columns * width + legend
    total_h = top + max(math.ceil(len(panels) / columns) * height, 30 + 22 * len(names))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_w}" height="{total_h}" '
           f'viewBox="0 0 {total_w} {total_h}" font-family="{FONT}" font-size="12" fill="{TEXT}" role="img">',
           f"<title>{escape(title or panels[0].title)}</title>",
           f'<rect width="{total_w}" height="{total_h}" fill="#ffffff"/>']
    if title:
        out.append(f'<text x="14" y="23" font-size="16" font-weight="bold">{escape(title)}</text>')
    for i, panel in enumerate(panels):
        out += _panel(panel, names, (i % columns) * width, top + i // columns * height, width, height)
    for i, name in enumerate(names):
        x, y = columns * width + 8, top + 30 + 22 * i
        out.append(f'<line x1="{x}" y1="{y}" x2="{x + 34}" y2="{y}" {_stroke(i)}/>')
        out.append(f'<text x="{x + 41}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])


def _stroke(i: int) -> str:
    dash = DASHES[i % len(DASHES)]
    return (f'stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2" fill="none" stroke-linejoin="round"'
            + (f' stroke-dasharray="{dash}"' if dash else ""))


def _panel(panel: Panel, names: Sequence[str], left: float, top: float, width: float, height: float) -> list[str]:
    x0, x1, y0, y1 = left + 58, left + width - 14, top + height - 44, top + 28
    data = {name: aggregate(runs, panel.smooth) for name, runs in panel.lines.items()}
    points = [p for line in data.values() for p in line]
    out = [f'<text x="{left + 58:g}" y="{top + 17:g}" font-size="13" font-weight="bold">{escape(panel.title)}</text>',
           f'<text x="{(x0 + x1) / 2:g}" y="{y0 + 34:g}" text-anchor="middle">{escape(panel.x_label)}</text>',
           f'<text transform="translate({left + 15:g} {(y0 + y1) / 2:g}) rotate(-90)" text-anchor="middle">'
           f'{escape(panel.y_label)}</text>']
    if not points:
        out.append(f'<text x="{(x0 + x1) / 2:g}" y="{(y0 + y1) / 2:g}" text-anchor="middle">no data</text>')
        return out
    ax, bx = min(p[0] for p in points), max(p[0] for p in points)
    ay, by = panel.y_range or (min(p[2] for p in points), max(p[3] for p in points))
    if ax == bx:
        ax, bx = ax - 1, bx + 1
    if ay == by:
        pad = abs(ay) / 10 or 1
        ay, by = ay - pad, by + pad

    def at(x: float, y: float) -> str:
        y = max(ay, min(by, y))
        return f"{x0 + (x - ax) / (bx - ax) * (x1 - x0):.1f},{y0 + (y - ay) / (by - ay) * (y1 - y0):.1f}"

    for t in ticks(ay, by):
        px, py = at(ax, t).split(",")
        out.append(f'<line x1="{x0:g}" y1="{py}" x2="{x1:g}" y2="{py}" stroke="#dddddd"/>')
        out.append(f'<text x="{x0 - 6:g}" y="{float(py) + 4:.1f}" text-anchor="end">{t:g}</text>')
    for t in ticks(ax, bx):
        px, _ = at(t, ay).split(",")
        out.append(f'<line x1="{px}" y1="{y0:g}" x2="{px}" y2="{y0 + 4:g}" stroke="{TEXT}"/>')
        out.append(f'<text x="{px}" y="{y0 + 17:g}" text-anchor="middle">{t:g}</text>')
    out.append(f'<path d="M{x0:g} {y1:g}V{y0:g}H{x1:g}" stroke="{TEXT}" fill="none"/>')
    for name, line in data.items():  # bands first, so that no band covers a line
        i = names.index(name)
        if len(panel.lines[name]) > 1 and len(line) > 1:
            edge = [at(x, high) for x, _, _, high in line] + [at(x, low) for x, _, low, _ in reversed(line)]
            out.append(f'<polygon points="{" ".join(edge)}" fill="{COLOURS[i % len(COLOURS)]}" fill-opacity="0.15"/>')
    for name, line in data.items():
        i = names.index(name)
        path = " ".join(at(x, y) for x, y, _, _ in line)
        if len(line) == 1:
            cx, cy = path.split(",")
            out.append(f'<circle cx="{cx}" cy="{cy}" r="3.5" fill="{COLOURS[i % len(COLOURS)]}"/>')
        elif line:
            out.append(f'<polyline points="{path}" {_stroke(i)}/>')
    return out


__all__ = ["Panel", "aggregate", "read_csv", "svg", "ticks"]
