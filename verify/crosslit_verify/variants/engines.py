"""The engines under test: their scripts, what they accept, and the options that may vary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from crosslit_verify.variants import scripts
from crosslit_verify.variants.model import Model, Number

INFEASIBLE = frozenset(
    ["INFEASIBLE", "UNSAT", "UNSATISFIABLE", "INCONSISTENT", "KINFEASIBLE", "KUNBOUNDEDORINFEASIBLE", "INFORUNBD"]
)
FEASIBLE = frozenset(["OPTIMAL", "KOPTIMAL", "SAT", "SATISFIABLE", "FEASIBLE"])


@dataclass(frozen=True)
class Engine:
    """An engine under test.

    Args:
        package: the module it is imported from.
        script: a function that yields the lines of a script.
        accepts: kinds of constraints and variables, and of ``objective``, ``steps`` and ``hint``, those it has.
        options: an allow-list of options that change no answer, with their values; the strongest first.
        tolerance: relative tolerance of its arithmetic; 0 if it is exact.
        name: its name within the package.
        export: a line that writes the model in the engine's own language to the file ``path``, and the suffix.
        lineage: engines of the same lineage do not confirm each other.
        hard_size: maximum number of rows and columns of puzzles that it solves in seconds, but not at once.
    """

    package: str
    script: Callable[[str, Model], Iterator[str]]
    accepts: frozenset[str]
    options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    tolerance: Fraction = Fraction(0)
    name: str = ""
    export: tuple[str, str] = ("", "")
    lineage: str = ""
    hard_size: int = 5

    def source(self, model: Model) -> str:
        """Return the script of a model."""
        return "\n".join(filter(None, ["answers = []", *self.script(self.name, model)]))


def answer(raw: Any, model: Model) -> tuple[str, list[Number] | None, Fraction | None]:
    """Return the claim of an answer (``infeasible``, ``feasible`` or empty), its point, and its objective."""
    status, values, objective, _ = raw
    if status.upper() in INFEASIBLE:
        return "infeasible", None, None
    if status.upper() not in FEASIBLE or len(values) != len(model.variables):
        return "", None, None
    point: list[Number] = []
    for variable, value in zip(model.variables, values, strict=True):
        number = Fraction(value)
        is_near = variable.kind != "real" and abs(number - round(number)) < Fraction(1, 10_000)
        point.append(round(number) if is_near else number)
    return "feasible", point, None if objective is None else Fraction(objective)


_OFF = ("SCIP_PARAMSETTING.OFF",)
_FLOAT = Fraction(1, 100_000)
_MIP = frozenset({"linear", "int", "real", "objective", "steps"})
_LOGIC = frozenset({"linear", "clause", "objective"})
_SAT = frozenset({"clause", "steps"})
_HIGHS = {
    "presolve": ("off",),
    "mip_detect_symmetry": (False,),
    "mip_heuristic_effort": (0.0, 0.5),
    "random_seed": (1, 2, 3),
}
_SCIP = {
    "setPresolve": _OFF,
    "setSeparating": _OFF,
    "setHeuristics": _OFF,
    "conflict/enable": (False,),
    "misc/usesymmetry": (0,),
    "randomization/randomseedshift": (1, 2),
    "constraints/xor/presolpairwise": (False,),
    "constraints/linear/upgrade/xor": (False,),
}
_WRAPPER = {"PRESOLVE": ("PRESOLVE_OFF",)}
_CPSAT = {
    "cp_model_presolve": (False,),
    "linearization_level": (0, 2),
    "symmetry_level": (0, 3),
    "cp_model_probing_level": (0,),
    "random_seed": (1, 2),
}
_Z3 = {"arith.solver": (2, 6), "random_seed": (1, 2)}
_CLINGO = {"sat-prepro": ("no", "2"), "trans-ext": ("all", "weight"), "eq": (0,), "seed": (2, 3)}
_CHOCO = {"set_dom_over_w_deg_search": ("",), "set_input_order_lb_search": ("",)}  # over all variables
_LP, _CIP = ("h.writeModel(path)", "lp"), ("m.writeProblem(path)", "cip")
_PROTO, _SMT = ("m.ExportToFile(path)", "txt"), ("open(path, 'w').write(s.sexpr())", "smt2")
_CP = _LOGIC | {"table", "regular", "int"}

ENGINES: dict[str, Engine] = {
    "highs": Engine("highspy", scripts.highs, _MIP | {"hint"}, _HIGHS, _FLOAT, export=_LP, lineage="highs"),
    "scip": Engine(
        "pyscipopt", scripts.scip, _MIP | {"hint", "xor"}, _SCIP, _FLOAT, export=_CIP, lineage="scip", hard_size=6
    ),
    "ortools-highs": Engine("ortools", scripts.wrapper, _MIP, _WRAPPER, _FLOAT, "HIGHS", lineage="highs"),
    "ortools-scip": Engine("ortools", scripts.wrapper, _MIP, _WRAPPER, _FLOAT, "SCIP", lineage="scip"),
    "cbc": Engine("ortools", scripts.wrapper, _MIP, _WRAPPER, _FLOAT, "CBC", lineage="cbc"),
    "cpsat": Engine("ortools", scripts.cpsat, _CP | {"xor", "steps", "hint"}, _CPSAT, export=_PROTO, hard_size=6),
    "z3": Engine("z3", scripts.z3, _LOGIC | _MIP | {"xor", "table"}, _Z3, export=_SMT),
    "clingo": Engine("clingo", scripts.clingo, _LOGIC | {"xor", "steps"}, _CLINGO, hard_size=7),
    "choco": Engine("pychoco", scripts.choco, _CP | {"nfa"}, _CHOCO),
    "exact": Engine("exact", scripts.exact, _MIP - {"real"} | {"hint"}),
    **{
        name: Engine("pysat", scripts.pysat, _SAT | hint, name=name, hard_size=8)
        for name, hint in {
            "minisat22": {"hint"},
            "glucose4": {"hint"},
            "cadical153": set(),
            "cadical195": set(),
        }.items()
    },
}
"""The engines, by name; those of Crosslit's backends have the same names."""

CONFIRMING = ("z3", "cpsat", "exact", "highs", "scip", "ortools-highs")
"""Engines that may confirm a wrong answer, in the order in which they are tried."""

ALTERNATIVES = {"highs": "ortools-highs"}
"""Where an engine is found too, if its package is not installed."""
