"""planproof.up with the real unified-planning and its own test cases."""

from __future__ import annotations

import unittest

from tests.support import binary

import unified_planning as up
from unified_planning.engines import CompilationKind, PlanGenerationResultStatus as Status
from unified_planning.engines.results import ValidationResultStatus
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import Compiler, OneshotPlanner, PlanValidator
from unified_planning.test.examples import get_example_problems

import planproof.up

BINARY = {"binary": binary()}
up.shortcuts.get_environment().credits_stream = None


def supported() -> dict[str, object]:
    return {name: case for name, case in get_example_problems().items() if planproof.up.PlanproofEngine.supports(case.problem.kind)}


class UnifiedPlanning(unittest.TestCase):
    def test_cases(self) -> None:
        """Of every test case that is supported: solved as it says, no costlier than its plan, the plan valid for both validators."""
        cases = supported()
        self.assertGreater(len(cases), 15)
        solved = 0
        for name, case in cases.items():
            with self.subTest(name), OneshotPlanner(name="planproof", params=BINARY) as planner:
                result = planner.solve(case.problem, timeout=60)
                if result.status is Status.UNSUPPORTED_PROBLEM:
                    print("refused:", name, result.log_messages[1].message[:100])
                    continue
                if not case.solvable:
                    self.assertIs(result.status, Status.UNSOLVABLE_PROVEN)
                    continue
                self.assertIs(result.status, Status.SOLVED_OPTIMALLY)
                solved += 1
                for validator in ({"name": "planproof", "params": BINARY}, {"name": "sequential_plan_validator"}):
                    with PlanValidator(**validator) as v:
                        self.assertIs(v.validate(case.problem, result.plan).status, ValidationResultStatus.VALID)
        self.assertGreater(solved, 12)
        print(f"{len(cases)} cases, {solved} solved")

    def test_verdicts(self) -> None:
        """The plans of the test cases are valid here; without their first or last step they are what the library's own validator says."""
        counts = [0, 0]
        for name, case in supported().items():
            with PlanValidator(name="planproof", params=BINARY) as v, PlanValidator(name="sequential_plan_validator") as own:
                for plan in case.valid_plans:
                    with self.subTest(name):
                        self.assertIs(v.validate(case.problem, plan).status, ValidationResultStatus.VALID)
                        counts[0] += 1
                    for actions in (plan.actions[1:], plan.actions[:-1]):
                        with self.subTest(name, actions=str(actions)):
                            cut = SequentialPlan(actions, case.problem.environment)
                            got, want = v.validate(case.problem, cut), own.validate(case.problem, cut)
                            self.assertEqual((got.status, got.reason, got.inapplicable_action), (want.status, want.reason, want.inapplicable_action))
                            counts[1] += want.status is ValidationResultStatus.INVALID
        print(f"{counts[0]} valid plans, {counts[1]} invalid ones")
        self.assertGreater(min(counts), 5)

    def test_grounding(self) -> None:
        """The grounded problem has no parameters, and the same optimum."""
        problem = get_example_problems()["robot_loader"].problem
        with Compiler(name="planproof", compilation_kind=CompilationKind.GROUNDING, params=BINARY) as compiler:
            result = compiler.compile(problem)
        self.assertTrue(result.problem.actions)
        self.assertFalse([a for a in result.problem.actions if a.parameters])
        with OneshotPlanner(name="planproof", params=BINARY) as planner:
            lifted, ground = planner.solve(problem), planner.solve(result.problem)
        self.assertEqual(lifted.metrics["cost"], ground.metrics["cost"])
        back = ground.plan.replace_action_instances(result.map_back_action_instance)
        with PlanValidator(name="sequential_plan_validator") as v:
            self.assertTrue(v.validate(problem, back))

    def test_limits(self) -> None:
        """A limit is no answer."""
        problem = get_example_problems()["robot_loader"].problem
        with OneshotPlanner(name="planproof", params=BINARY) as planner:
            self.assertIn(planner.solve(problem, timeout=0.000001).status, (Status.TIMEOUT, Status.SOLVED_OPTIMALLY))
        with OneshotPlanner(problem_kind=problem.kind, name="planproof", params=dict(BINARY, memory="1KB")) as planner:
            self.assertIs(planner.solve(problem).status, Status.MEMOUT)


if __name__ == "__main__":
    unittest.main()
