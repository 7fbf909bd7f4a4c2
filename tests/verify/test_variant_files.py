"""Variants of models for commands: what each form says, what is read from an answer, and programs that are wrong."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.commands.form import FormCommand
from crosslit_verify.cli.settings import _words
from crosslit_verify.variants.files import _ACCEPTS, FileEngine, _finite
from crosslit_verify.variants.forms import Unclear
from crosslit_verify.variants.judging import VariantVerification, judge
from crosslit_verify.variants.model import Constraint, Step, Variable, Variant, VariantModel
from crosslit_verify.variants.relations import RELATIONS
from crosslit_verify.variants.session import VariantSettings, open_variants
from crosslit_verify.variants.techniques import TECHNIQUES, build, techniques_of

from crosslit.contract.registered import all_backends, form_names
from tests.conftest import Command

BOTH = VariantModel(
    (Variable(), Variable("int", -2, 9)), (Constraint("linear", (((0, 3), (1, -1)), "le", 1)),), ((0, 1), (1, -2))
)
REAL = VariantModel(
    (Variable(), Variable("real", Fraction(-1, 4), 1), Variable("int", 0, 3)),
    (Constraint("linear", (((0, 1), (1, Fraction(1, 2)), (2, -1)), "ge", Fraction(-5, 4))),),
)
PAIR = VariantModel((Variable(), Variable()), (Constraint("clause", (1, 2)),))


def engine(form: str) -> FileEngine:
    return FileEngine.of("mine", ["mine", f"{{{form}}}"])


def text(form: str, model: VariantModel) -> str:
    scope: dict[str, Any] = {}
    exec(engine(form).source(model).partition("with tempfile")[0], scope)
    return str(scope["model"])


def cases(form: str, count: int) -> list[Variant]:
    found = []
    for number in range(count):
        try:
            found.append(build(5, number, techniques_of(5, number, TECHNIQUES), _ACCEPTS[form], {}))
        except Unclear:
            continue
    return found


def test_every_form_of_a_command_has_its_kinds_of_constraints() -> None:
    assert sorted(_ACCEPTS) == sorted(["cnf", *form_names()])


@pytest.mark.parametrize("form", sorted(_ACCEPTS.keys() - {"fzn"}))  # which is compiled from mzn
def test_every_model_of_a_form_is_written_and_its_witnesses_satisfy_what_is_written(form: str) -> None:
    for case in cases(form, 60):
        assert text(form, case.model)
        for number, witness in enumerate(case.witnesses):
            if witness is not None:
                related = [item for item in case.model.all_constraints(number) if item.kind in RELATIONS]
                others = [item for item in case.model.all_constraints(number) if item not in related]
                assert all(item.holds(witness) for item in related)
                assert _finite(case.model, others).broken(witness) is None
                assert all(
                    low <= value <= high for value, (_, low, high) in zip(witness, case.model.variables, strict=True)
                )


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("lp", ["obj: +1 x1 -2 x2", "c1: +3 x1 -1 x2", "<= 1", "-2 <= x2 <= 9", "Generals", "Binaries"]),
        ("mps", [" x1 obj 1", " x2 obj -2", " L c1", " x1 c1 3", " x2 c1 -1", " LI BND x2 -2", " UI BND x2 9"]),
        ("mzn", ["solve minimize 1*x1 + -2*x2;", "var -2..9: x2;"]),
        ("xcsp3", ['<instance format="XCSP3" type="COP">']),
    ],
)
def test_an_objective_is_minimised_where_the_form_has_one(form: str, lines: list[str]) -> None:
    written = text(form, BOTH).splitlines()
    assert [line for line in lines if line not in written] == []
    assert "objective" in _ACCEPTS[form]


def test_a_constraint_of_small_integers_is_written_in_minizinc_over_arrays_from_1() -> None:
    data = ((1, 2, 0), ((1, 0), (2, 3), 4), "iff not", ((1, 0), (2, -1)))
    model = VariantModel((Variable(), Variable("int", -2, 9), Variable("int", 0, 3)), (Constraint("cumulative", data),))
    assert text("mzn", model).splitlines()[-4:] == [
        'include "strictly_increasing.mzn";',
        "constraint let { array[int] of var int: v = [x0[1], 2 * x0[2] + -1]; array[int] of int: p = [1, 0, 2, 3, 4];",
        "  int: n = length(v) div 2; } in",
        "(not((x0[0] = 1)) <-> (forall(t in v)(sum([p[length(v) + i] * (v[i] <= t /\\ t < v[i] + p[i]) |"
        " i in index_set(v)]) <= p[length(p)])));",
    ]
    for form in sorted(_ACCEPTS.keys() - {"mzn"}):
        assert RELATIONS.keys().isdisjoint(_ACCEPTS[form])


def test_an_objective_of_xcsp3_and_of_opb_has_its_coefficients() -> None:
    assert '<minimize type="sum"><list> x1 x2 </list><coeffs> 1 -2 </coeffs></minimize>' in text("xcsp3", BOTH)
    model = VariantModel((Variable(), Variable()), (), ((0, 1), (1, -2)))
    assert text("opb", model).splitlines()[:2] == ["* #variable= 2 #constraint= 1", "min: +1 x1 -2 x2 ;"]


def test_real_variables_have_bounds_and_are_not_integers() -> None:
    written = text("lp", REAL).splitlines()
    assert written[-7:] == ["-0.25 <= x2 <= 1.0", "0 <= x3 <= 3", "Generals", "x3", "Binaries", "x1", "End"]
    assert written[4:6] == ["c1: +1 x1 +0.5 x2 -1 x3", ">= -1.25"]  # decimals stay
    lines = text("mps", REAL).splitlines()
    assert [line for line in lines if "x2" in line] == [
        *(" x2 obj 0", " x2 c1 0.5", " LO BND x2 -0.25", " UP BND x2 1.0")
    ]
    lines = text("smt2", REAL).splitlines()
    assert lines[1:4] == ["(set-logic QF_LIRA)", "(declare-const x1 Bool)", "(declare-const x2 Real)"]
    assert lines[4] == "(assert (<= (- (/ 1.0 4.0)) x2 1.0))"
    assert lines[7] == "(assert (>= (+ (ite x1 4.0 0.0) (* 2.0 x2) (* (- 4.0) (to_real x3))) (- 5.0)))"


def test_a_real_variable_from_0_to_1_is_not_a_literal() -> None:
    model = VariantModel((Variable("real"), Variable()), (Constraint("linear", (((0, 1), (1, 1)), "ge", 1)),))
    assert "(or " not in text("smt2", model)
    assert text("lp", model).splitlines()[-4:] == ["0.0 <= x1 <= 1.0", "Binaries", "x2", "End"]


def test_a_model_without_constraints_keeps_the_bounds_of_its_first_variable() -> None:
    model = VariantModel((Variable("int", -3, 0),), ())
    assert _finite(model, ()).broken([-3]) is None
    assert (
        engine("lp").answers(VariantModel((), ()), [["Optimal\nx1 0", "", 0]]) == "unreadable: it has x1, exit status 0"
    )


def test_the_steps_of_smt_lib_have_assumptions_and_each_its_answer() -> None:
    added = Constraint("linear", (((0, 1), (1, 2)), "le", 2))
    model = VariantModel(PAIR.variables, PAIR.constraints, steps=(Step(), Step(((0, 1), (1, 0)), (), (added,))))
    lines = text("smt2", model).splitlines()
    assert lines[1] == "(set-logic QF_LIA)"  # for the constraint added later
    checks = [line for line in lines if line.startswith("(check-sat")]
    assert checks == ["(check-sat)", "(check-sat-assuming (x1 (not x2)))"]
    raw = [['sat\n((x1 true)\n (x2 false))\nunsat\n(error "no model")', "", 1]] * 2
    answers = engine("smt2").answers(model, raw)
    assert answers == [("SATISFIABLE", [1, 0], None, 0), ("UNSATISFIABLE", [], None, 0)]
    short = engine("smt2").answers(model, [['unsat\n(error "stop")', "", 1]] * 2)
    assert [str(answer[0]) for answer in short] == ["UNSATISFIABLE", "UNKNOWN"]


XCSP3 = "v <list> x1 x2 </list> <values> 1 4 </values>"
GLPSOL = "Status:     INTEGER OPTIMAL\n     1 x1      *          1        0       1\n     2 x2            3.25    0   9"


LP_SOLVE = """
Value of objective function: -7.00000000

Actual values of the variables:
x1                    1
x2                    4

Actual values of the constraints:
"""


@pytest.mark.parametrize(
    ("form", "output", "status", "values"),
    [
        ("lp", "Optimal - objective value -7.0\n 0 x1 1 0\n 1 x2 4.0 0", "SATISFIABLE", [1, 4]),
        ("lp", "Optimal - objective value 0.0", "SATISFIABLE", [0, 0]),
        ("lp", GLPSOL, "SATISFIABLE", [1, Fraction(13, 4)]),
        ("mps", LP_SOLVE, "SATISFIABLE", [1, 4]),
        ("mps", f"The model is sub-optimal. Only a faster solution was found.\n{LP_SOLVE}", "UNKNOWN", [1, 4]),
        ("mps", "\nThis problem is infeasible", "UNSATISFIABLE", []),
        ("lp", "solution status: gap limit reached\nobjective value: 0", "UNKNOWN", []),
        ("lp", "Status:     INTEGER NON-OPTIMAL\n 1 x1 * 1 0 1\n 2 x2 * 4 0 1", "UNKNOWN", [1, 4]),
        ("lp", "Model status\nInfeasible", "UNSATISFIABLE", []),
        ("opb", "s OPTIMUM FOUND\nv x1 -x2", "SATISFIABLE", [1, 0]),
        ("opb", "s SATISFIABLE\nv x1 -x2", "UNKNOWN", [1, 0]),  # it may be no optimum
        (
            "xcsp3",
            f"\x1b[92ms OPTIMUM FOUND\x1b[0m\n{XCSP3}",
            "SATISFIABLE",
            [1, 4],
        ),
        ("mzn", "x1 = 1;\nx2 = 4;\n----------\n==========", "SATISFIABLE", [1, 4]),
        ("mzn", "x1 = 1;\nx2 = 4;\n----------", "UNKNOWN", [1, 4]),
    ],
)
def test_only_a_claimed_optimum_is_one(form: str, output: str, status: str, values: list[Any]) -> None:
    assert [tuple(found[:2]) for found in engine(form).answers(BOTH, [[output, "", 0]])] == [(status, values)]


PRINTED = {
    "lp": [
        "Optimal - objective value {}\n 0 x1 1 0\n 1 x2 4.0 0",
        "Model status\nOptimal\n# Primal solution values\nFeasible\nObjective {}\n# Columns 2\nx1 1\nx2 4",
        "solution status: optimal solution found\nobjective value:     {}\nx1    1\nx2    4   (obj:-2)",
        "Status:     INTEGER OPTIMAL\nObjective:  obj = {} (MINimum)\n 1 x1 * 1 0 1\n 2 x2 * 4 0 9",
    ],
    "mps": [LP_SOLVE.replace("-7.00000000", "{}")],
    "xcsp3": [f"o 9\no {{}}\ns OPTIMUM FOUND\n{XCSP3}"],
    "opb": ["o 3\no {}\ns OPTIMUM FOUND\nv x1 x2"],
}


@pytest.mark.parametrize(("form", "output"), [(form, one) for form, outputs in PRINTED.items() for one in outputs])
def test_a_printed_objective_is_that_of_its_point_up_to_the_digits_of_floats(form: str, output: str) -> None:
    model = replace(BOTH, variables=(Variable(),) * 2, constraints=(), objective=((0, 1), (1, -8)))
    model = model if form == "opb" else BOTH
    for printed, is_right in (("-7", True), ("7", False), ("-7.1", False), ("-7.00001", engine(form).tolerance > 0)):
        answers = engine(form).answers(model, [[output.format(printed), "", 0]])
        assert not isinstance(answers, str)
        wrong = judge(engine(form), Variant("", frozenset(), model, (None,)), answers)
        assert (wrong and wrong.problem) == (None if is_right else "wrong-objective"), printed


@pytest.mark.parametrize(
    ("form", "output", "expected"),
    [
        ("smt2", "sat\n((x1 false) (x2 (- (/ 1 4)))\n(x3 2))", [0, Fraction(-1, 4), 2]),
        ("smt2", "sat\n((x1 true) (x2 (/ 1.0 3.0)) (x3 (- 2)))", [1, Fraction(1, 3), -2]),
        ("smt2", "sat\n((x1 true) (x2 (/ (- 1) 3)) (x3 0))", [1, Fraction(-1, 3), 0]),
        ("smt2", "sat\n((x1 true) (x2 0.25) (x3 0))", [1, Fraction(1, 4), 0]),
        ("smt2", "sat\n((x1 true) (x2 (/ 1 0)) (x3 0))", "1/0 is not a number"),
        ("lp", "Optimal\nx1 1\nx2 1e-3\nx3 0.99999", [1, Fraction(1e-3), Fraction("0.99999")]),
        ("lp", "Optimal\nx1 1\nx2 1e999\nx3 1", "1e999 is not a number"),
        ("lp", "Optimal\nx1 1\nx2 nan\nx3 1", "nan is not a number"),
        ("lp", "Optimal\nx1 1\nx4 1", "it has x4"),
    ],
)
def test_numbers_are_read_exactly(form: str, output: str, expected: Any) -> None:
    found = engine(form).answers(REAL, [[output, "", 0]])
    assert found == (
        f"unreadable: {expected}, exit status 0" if isinstance(expected, str) else [("SATISFIABLE", expected, None, 0)]
    )


@pytest.mark.parametrize(
    ("form", "output", "code", "said"),
    [
        ("cnf", "s SATISFIABLE\nv 1 -2 0", 10, [1, 0]),
        ("cnf", "SAT\n1 -2 0", 10, [1, 0]),
        ("cnf", "s SATISFIABLE\nv 1 0", 10, "unreadable: it lacks x2"),
        ("cnf", "s SATISFIABLE\nv 1 -2 3 0", 10, "unreadable: it has x3"),
        ("cnf", "s SATISFIABLE\nv 1 -2 -1 0", 10, "unreadable: it gives x1 twice"),
        ("cnf", "s SATISFIABLE", 10, "unreadable: it says satisfiable and gives no model"),
        ("cnf", "solved: yes", 0, "unreadable: no status in its output, which ends with 'solved: yes'"),
        ("cnf", "", 1, "unreadable: no status in its output"),
        ("cnf", "s SATISFIABLE\nv 1 -2 0", -11, "crash: killed by SIGSEGV"),
        ("smt2", "", 2, "unreadable: no status in its output"),
        ("opb", "s UNSATISFIABLE\nv x1 x2", 0, "unreadable: it says unsatisfiable and gives a model"),
    ],
)
def test_an_unknown_format_is_unreadable_and_only_a_signal_a_crash(
    form: str, output: str, code: int, said: Any
) -> None:
    found = engine(form).answers(PAIR, [[output, "no logic", code]])
    said_more = f"{said}, exit status {code}: no logic" if str(said).startswith("unreadable") else said
    assert found == (said_more if isinstance(said, str) else [("SATISFIABLE", said, None, 0)])
    assert engine(form).answers(PAIR, "hang: late") == "hang: late"


def test_a_variable_in_no_row_may_be_missing_unless_it_has_a_cost() -> None:
    variables = (Variable("int", 2, 5), Variable(), Variable())
    free = VariantModel(variables, (Constraint("clause", (2, 3)),))
    output = [["s SATISFIABLE\nv <list> x2 x3 </list> <values> 1 0 </values>", "", 0]]
    assert engine("xcsp3").answers(free, output) == [("SATISFIABLE", [2, 1, 0], None, 0)]
    costly = VariantModel(variables, free.constraints, ((0, -1),))
    assert engine("xcsp3").answers(costly, output) == "unreadable: it lacks x1, exit status 0"


SOLVER = """
import sys
from pysat.formula import CNF
from pysat.solvers import Solver
formula = CNF(from_file=sys.argv[1])
with Solver(bootstrap_with=[*formula.clauses, *([i, -i] for i in range(1, formula.nv + 1))]) as solver:
    found, model = solver.solve(), solver.get_model()
given = {abs(clause[0]) for clause in formula.clauses if len(clause) == 1}
is_open = any(len(own) == 2 and max(own) < 0 and not {*map(abs, own)} <= given for own in formula.clauses)
"""
ENDS = {
    "right": "print('s SATISFIABLE\\nv', *model, 0) if found else print('s UNSATISFIABLE')",
    "denies": "print('s SATISFIABLE\\nv', *model, 0) if found and not is_open else print('s UNSATISFIABLE')",
    "flips": "model = model and [-model[0], *model[1:]] if is_open else model\n"
    "print('s SATISFIABLE\\nv', *model, 0) if found else print('s UNSATISFIABLE')",
    "private": "print('result:', model)",
}


def verified(tmp_path: Path, end: str, **settings: Any) -> VariantVerification:
    path = tmp_path / "solver.py"
    path.write_text(SOLVER + ENDS[end], "utf-8")
    words = (sys.executable, str(path), "{cnf}")
    with open_variants(VariantSettings("mine", words, kind="lights-out", **{"cases": 12, **settings})) as session:
        return session.run()


@pytest.mark.slow
@pytest.mark.parametrize(("end", "judged"), [("right", 12), ("private", 0)])
def test_a_command_that_is_right_or_has_its_own_format_is_not_accused(tmp_path: Path, end: str, judged: int) -> None:
    found = verified(tmp_path, end)
    assert (found.counts["judged"], found.counts["unreadable"], found.counts["wrong"]) == (judged, 12 - judged, 0)
    assert found.passed == (judged > 0)
    assert {"numeric", "objective", "incremental", "options", "dense"}.isdisjoint(found.techniques)  # not in CNF
    assert found.error.startswith("unreadable: no status in its output, which ends with" if end == "private" else "")


@pytest.mark.slow
@pytest.mark.parametrize(("end", "problem"), [("denies", "wrong-infeasible"), ("flips", "broken-point")])
def test_a_command_that_is_wrong_is_caught_with_a_script_and_its_file(
    tmp_path: Path, end: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verified(tmp_path, end, techniques=("flip",), cases=100)
    (failure,) = found.failures
    assert (failure.wrong.problem, bool(failure.confirmed)) == (problem, True)
    assert failure.export.startswith("p cnf ")
    assert (failure.suffix, "crosslit" in failure.script.replace(str(tmp_path), "")) == (".cnf", False)
    exec(failure.script, {})
    assert re.match(r"Wrong in python[\d.]* sha256:\w+: ", capsys.readouterr().out.splitlines()[-1])


def test_the_files_of_a_command_that_is_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    words = ("sh", "-c", "sleep 9 # {cnf}")
    with open_variants(VariantSettings("mine", words, cases=1, timeout=0.3)) as session:
        found = session.run()
        assert [path.name for path in tmp_path.glob("*/*/*")] == ["model.cnf"]
    assert (found.counts["hang"], [*tmp_path.iterdir()]) == (1, [])


PROGRAMS = [
    "glpsol --lp {lp} -o {out}",
    "glpsol --freemps {mps} -o {out}",
    "cbc {lp} solve solu {out}",
    "cbc {mps} solve solu {out}",
    "lp_solve -S3 -fmps {mps}",
    "minisat {cnf} {out}",
    "cadical -q {cnf}",
    "clasp {opb}",
    "z3 {smt2}",
    "fzn-gecode {fzn}",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", PROGRAMS)
def test_programs_agree_with_the_truth(command: str) -> None:
    words = tuple(shlex.split(command))
    if shutil.which(words[0]) is None:  # CI requires all but clasp and lp_solve
        pytest.skip(f"{words[0]} is not installed")
    with open_variants(VariantSettings("mine", words, techniques=("form", "redundant", "flip"), cases=8)) as session:
        found = session.run()
    assert (found.counts["judged"], found.passed) == (8, True), [*found.failure_texts()]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["glpsol --lp {lp} -w {out}", "glpsol --lp {lp}", "cbc {lp} solve"])
def test_a_format_without_names_and_a_log_accuse_nobody(command: str) -> None:
    words = tuple(shlex.split(command))
    if shutil.which(words[0]) is None:  # CI installs and requires both
        pytest.skip(f"{words[0]} is not installed")
    with open_variants(VariantSettings("mine", words, cases=15)) as session:
        found = session.run()
    assert found.counts["unreadable"] > 0
    assert (found.counts["wrong"], found.counts["not confirmed"], found.failures) == (0, 0, ())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--variants", "numeric,objective"], "no model of mine has numeric, objective"),
        (["--variants", "all", "--against", "."], "a command has no --python or --against"),
        (["--variants", "all", "--solver", "mine=not-there {cnf}"], "no such command: not-there"),
    ],
)
def test_what_a_form_cannot_say_is_refused_by_name(words: list[str], message: str, crosslit: Command) -> None:
    own = [] if "--solver" in words else ["--solver", "mine=true {cnf}"]
    result = crosslit("verify", *own, "--backend", "mine", *words)
    assert (result.returncode, message in result.stderr) == (2, True)


def test_a_known_command_gives_one_answer_and_an_engine_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _words("gecode") == ("minizinc", "--solver", "gecode", "{mzn}")
    assert (_words("kissat")[0], _words("cpsat"), _words("nothing")) == ("kissat", (), ())
    backends = {**all_backends(), "own": FormCommand("own", ("own", "{lp}"), frozenset(), form="lp")}
    monkeypatch.setattr("crosslit.contract.registered.all_backends", lambda: backends)
    assert _words("own") == ("own", "{lp}")
    assert FileEngine.of("own", ["own"]).form == "cnf"
