"""planproof as an engine of unified-planning, which is imported only here::

    import planproof.up                                  # registers the engine "planproof"
    from unified_planning.shortcuts import *

    with OneshotPlanner(name="planproof") as planner:    # optimal, or proves that there is no plan
        result = planner.solve(problem)
    with PlanValidator(name="planproof") as validator:   # exact
        validator.validate(problem, result.plan)
    with Compiler(name="planproof", compilation_kind=CompilationKind.GROUNDING) as grounder:
        ground = grounder.compile(problem).problem       # only what can be reached and matters

Problems go to the binary as PDDL. What it does not support is UNSUPPORTED_PROBLEM, a limit TIMEOUT or MEMOUT: never an answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import IO, Any, Callable

import unified_planning as up
from unified_planning.engines import CompilationKind, Engine, OptimalityGuarantee, PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.compilers.grounder import Grounder
from unified_planning.engines.mixins import CompilerMixin, OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.engines.results import FailedValidationReason, LogLevel, LogMessage, ValidationResult, ValidationResultStatus
from unified_planning.io import PDDLReader, PDDLWriter
from unified_planning.model import ProblemKind
from unified_planning.plans import PlanKind

from .binary import find_binary

_STATUS = {
    "solved-optimally": PlanGenerationResultStatus.SOLVED_OPTIMALLY,
    "solved": PlanGenerationResultStatus.SOLVED_SATISFICING,
    "unsolvable": PlanGenerationResultStatus.UNSOLVABLE_PROVEN,
    "timeout": PlanGenerationResultStatus.TIMEOUT,
    "nodeout": PlanGenerationResultStatus.TIMEOUT,
    "memout": PlanGenerationResultStatus.MEMOUT,
    "unsupported": PlanGenerationResultStatus.UNSUPPORTED_PROBLEM,
}

_FEATURES = {
    "problem_class": ["ACTION_BASED"],
    "problem_type": ["SIMPLE_NUMERIC_PLANNING", "GENERAL_NUMERIC_PLANNING"],
    "typing": ["FLAT_TYPING", "HIERARCHICAL_TYPING"],
    "fluents_type": ["INT_FLUENTS", "REAL_FLUENTS"],
    "conditions_kind": ["NEGATIVE_CONDITIONS", "DISJUNCTIVE_CONDITIONS", "EQUALITIES", "EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS"],
    "effects_kind": [
        "CONDITIONAL_EFFECTS", "FORALL_EFFECTS", "INCREASE_EFFECTS", "DECREASE_EFFECTS",
        "STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS", "FLUENTS_IN_NUMERIC_ASSIGNMENTS",
    ],
    "quality_metrics": ["ACTIONS_COST", "PLAN_LENGTH"],
    "actions_cost_kind": ["STATIC_FLUENTS_IN_ACTIONS_COST", "INT_NUMBERS_IN_ACTIONS_COST", "REAL_NUMBERS_IN_ACTIONS_COST"],
}  # fmt: skip


class _Files:
    """A problem as files of PDDL, and the names in them."""

    def __init__(self, problem: Any):
        self._folder = tempfile.TemporaryDirectory()
        self.writer = PDDLWriter(problem)
        self.domain, self.problem = self.path("domain.pddl"), self.path("problem.pddl")
        self.writer.write_domain(self.domain)
        self.writer.write_problem(self.problem)

    def path(self, name: str) -> str:
        return os.path.join(self._folder.name, name)

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


class PlanproofEngine(Engine, OneshotPlannerMixin, PlanValidatorMixin, CompilerMixin):
    """Optimal planner, validator and grounder. binary is its path (planproof.find_binary); search and memory are
    --search and --memory of planproof solve."""

    def __init__(self, binary: str | None = None, search: str | None = None, memory: str = "4GB", **_: Any):
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        PlanValidatorMixin.__init__(self)
        CompilerMixin.__init__(self, CompilationKind.GROUNDING)
        self._binary, self._search, self._memory = binary, search, memory

    @property
    def name(self) -> str:
        """planproof."""
        return "planproof"

    @staticmethod
    def supported_kind() -> ProblemKind:
        """What can be said in the PDDL that every part reads; the search may still refuse a problem."""
        kind = ProblemKind(version=2)
        for feature, values in _FEATURES.items():
            for value in values:
                getattr(kind, "set_" + feature)(value)
        return kind

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Reports whether problems of a kind are supported."""
        return bool(problem_kind <= PlanproofEngine.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Every plan is optimal, and proven to be."""
        return True

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Plans are sequences."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def supports_compilation(compilation_kind: CompilationKind) -> bool:
        """Only grounding."""
        return bool(compilation_kind == CompilationKind.GROUNDING)

    @staticmethod
    def resulting_problem_kind(problem_kind: ProblemKind, compilation_kind: CompilationKind | None = None) -> ProblemKind:
        """The kind of a grounded problem."""
        return Grounder.resulting_problem_kind(problem_kind, compilation_kind)

    def _run(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([find_binary(self._binary), *args], capture_output=True, text=True, check=False, encoding="utf-8")

    def _solve(
        self,
        problem: Any,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        limits = ["--memory", self._memory] + (["--time", f"{max(timeout, 0.001):.3f}s"] if timeout is not None else [])
        search = ["--search", self._search] if self._search else []
        with _Files(problem) as files:
            done = self._run("solve", files.domain, files.problem, "--json", *limits, *search)
            if output_stream is not None:
                output_stream.write(done.stdout + done.stderr)
            logs = [LogMessage(LogLevel.INFO, done.stdout), LogMessage(LogLevel.ERROR, done.stderr)]
            report = json.loads(done.stdout) if done.stdout else {}
            status = _STATUS.get(report.get("status", ""), PlanGenerationResultStatus.INTERNAL_ERROR)
            if not report and "unsupported-" in done.stderr:
                status = PlanGenerationResultStatus.UNSUPPORTED_PROBLEM
            plan = None
            if status.name.startswith("SOLVED"):
                text = "\n".join(report.get("plan") or [])
                plan = PDDLReader(problem.environment).parse_plan_string(problem, text, files.writer.get_item_named)
        metrics = {k: str(report[k]) for k in ("cost", "expanded", "ground_cpu_s", "search_cpu_s") if k in report}
        return PlanGenerationResult(status, plan, engine_name=self.name, log_messages=logs, metrics=metrics or None)

    def _validate(self, problem: Any, plan: Any) -> ValidationResult:
        with _Files(problem) as files:
            names = files.writer.get_pddl_name
            steps = [" ".join([names(a.action), *(names(p.object()) for p in a.actual_parameters)]) for a in plan.actions]
            with open(files.path("plan"), "w", encoding="utf-8") as f:
                f.writelines(f"({step})\n" for step in steps)
            done = self._run("validate", files.domain, files.problem, files.path("plan"), "--json")
        logs = [LogMessage(LogLevel.INFO, done.stdout), LogMessage(LogLevel.ERROR, done.stderr)]
        verdict = json.loads(done.stdout) if done.stdout and done.returncode in (0, 1) else None
        if verdict is None:
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, logs)
        if verdict["valid"]:
            return ValidationResult(ValidationResultStatus.VALID, self.name, logs)
        failure, at = verdict["failure"], verdict["failure"].get("step", 0)
        if failure["kind"] in ("goal", "constraint"):
            return ValidationResult(ValidationResultStatus.INVALID, self.name, logs, reason=FailedValidationReason.UNSATISFIED_GOALS)
        return ValidationResult(
            ValidationResultStatus.INVALID,
            self.name,
            logs,
            reason=FailedValidationReason.INAPPLICABLE_ACTION,
            inapplicable_action=plan.actions[at - 1] if at else None,
        )

    def _compile(self, problem: Any, compilation_kind: CompilationKind) -> Any:
        with _Files(problem) as files:
            done = self._run("ground", files.domain, files.problem, "--format", "sas", "--memory", self._memory)
            if done.returncode != 0:
                raise up.exceptions.UPUsageError(f"planproof does not ground {problem.name}: {done.stderr.strip()}")
            lines = done.stdout.split("\n")
            named = files.writer.get_item_named
            ground: dict[Any, list[tuple[Any, ...]]] = {a: [] for a in problem.actions}
            objects = problem.environment.expression_manager.ObjectExp
            steps = dict.fromkeys(lines[i + 1] for i, line in enumerate(lines) if line == "begin_operator")
            for step in steps:
                name, *arguments = step.split()
                ground[named(name)].append(tuple(objects(named(a)) for a in arguments))
        result = Grounder(grounding_actions_map=ground).compile(problem, compilation_kind)
        result.engine_name = self.name
        return result


up.environment.get_environment().factory.add_engine("planproof", __name__, "PlanproofEngine")

__all__ = ["PlanproofEngine"]
