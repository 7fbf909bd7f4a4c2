"""Variants of a model: their truth, the engines that agree with it, and an engine that does not."""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec

import pytest
from crosslit_encoders.nonogram.models import guessing_automaton, line_automaton
from crosslit_verify.cli.verify import command as verify_command
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.forms import Unclear
from crosslit_verify.variants.judging import answer, check, judge
from crosslit_verify.variants.model import (
    Constraint,
    Renaming,
    Step,
    Variable,
    Variant,
    VariantModel,
    accepted_run,
    fits,
    units,
)
from crosslit_verify.variants.scripted import ScriptedEngine
from crosslit_verify.variants.session import VariantSettings, open_variants, part
from crosslit_verify.variants.techniques import (
    TECHNIQUES,
    _simpler_numbers,
    build,
    smaller_cases,
    techniques_of,
)

from tests.conftest import Command

from .test_parts import Backwards

ALL = frozenset(kind for engine in ENGINES.values() for kind in engine.accepts)


def cases(accepts, numbers, techniques=TECHNIQUES, **options):
    for number in numbers:
        try:
            yield build(3, number, techniques_of(3, number, techniques), accepts, {}, **options)
        except Unclear:
            continue


@pytest.mark.parametrize("name", ["highs", "cpsat", "clingo", "choco", "minisat22"])
def test_every_witness_satisfies_its_model_exactly(name):
    for case in cases(ENGINES[name].accepts, range(60)):
        check(case)


@pytest.mark.parametrize("accepts", [{"linear", "clause", "regular", "int", "xor"}, {"linear", "clause"}])
def test_no_term_is_zero_no_clause_has_a_variable_twice_and_no_automaton_reads_a_flipped_cell(accepts):
    kinds = set()
    for case in cases(frozenset(accepts), range(150), ("redundant", "flip", "form"), kind="nonogram"):
        for constraint in case.model.all_constraints():
            kinds.add(constraint.kind)
            if constraint.kind == "linear":
                assert all(factor for _, factor in constraint.data[0])
            elif constraint.kind == "clause":
                assert len({*map(abs, constraint.data)}) == len(constraint.data)
        check(case)
    assert kinds == accepts - {"int", "xor"}


def test_large_puzzles_have_witnesses_too():
    found = [*cases(ENGINES["highs"].accepts, range(4), largest=6)]
    assert any(witness is not None for case in found for witness in case.witnesses)
    assert all(len(case.model.variables) >= 25 for case in found)


def test_equal_seeds_give_equal_models():
    assert [case.model for case in cases(ALL, range(20))] == [case.model for case in cases(ALL, range(20))]


def test_a_technique_left_out_keeps_the_random_numbers_of_the_others():
    both = build(0, 5, frozenset({"objective", "flip"}), ALL, {})
    one = build(0, 5, frozenset({"objective"}), ALL, {})
    sizes = [sorted(abs(factor) for _, factor in case.model.objective) for case in (both, one)]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("make", [line_automaton, guessing_automaton])
def test_automata_accept_the_words_of_a_clue(make):
    for clue in ((), (2,), (1, 1), (1, 2)):
        _start, finals, moves = make([(length, 1) for length in clue])
        for word in itertools.product((0, 1), repeat=5):
            run = accepted_run(moves, finals, word)
            assert bool(run) == fits(word, clue)
            assert not run or (run[0] == 0 and run[-1] in finals)
            assert {*zip(run, run[1:], word, strict=False)} <= {(before, to, label) for before, label, to in moves}


def test_flips_keep_the_points_of_a_model():
    items = (
        Constraint("xor", ((0, 1), 1)),
        Constraint("clause", (1, -2)),
        Constraint("linear", (((0, 2), (2, -1)), "le", 1)),
        Constraint("table", ((0, 1), ((1, 0),))),
    )
    model = VariantModel((Variable(), Variable(), Variable("int", 0, 5)), items, ((0, 3),))
    renaming = Renaming((1, 0, 2), {0})
    assert not model.broken((1, 0, 1), 0)
    assert not renaming.model(model).broken(renaming.point((1, 0, 1)), 0)


ROW = Variant(
    "1",
    frozenset({"form", "flip"}),
    VariantModel((Variable(), Variable()), (Constraint("linear", (((0, 1), (1, 1)), "ge", 1)),), ((0, 1), (1, 2))),
    ((1, 0),),
)


@pytest.mark.parametrize(
    ("answered", "problem"),
    [
        (("kInfeasible", [], 0, 0), "wrong-infeasible"),
        (("kOptimal", [0, 0], 0, 0), "broken-point"),
        (("kOptimal", [0.5, 0.5], 1.5, 0), "broken-point"),
        (("kOptimal", [1, 0], 3, 0), "wrong-objective"),
        (("kOptimal", [0, 1], 2, 0), "not-optimal"),
        (("kOptimal", [0.9999999, 0], 1, 0), None),
        (("kOptimal", [1, 0], None, 0), None),  # it says nothing of an objective
        (("kOptimal", [1, 0], 0.5, 0), "wrong-objective"),
        (("kTimeLimit", [], 0, 0), None),
    ],
)
def test_answers_are_judged_by_points(answered, problem):
    wrong = judge(ENGINES["highs"], ROW, [answered])
    assert (wrong.problem if wrong else None) == problem


TWO = VariantModel((Variable(), Variable("real", 0, 9)), ())


@pytest.mark.parametrize(
    ("status", "values", "expected"),
    [
        *((word, [], ("infeasible", None)) for word in ("Infeasible", "UNSAT", "inconsistent", "kInfeasible")),
        *((word, [1, 2], ("feasible", [1, 2])) for word in ("OPTIMAL", "sat", "Satisfiable", "feasible", "kOptimal")),
        ("OPTIMAL", [1], ("", None)),  # a point that lacks a number claims nothing
        ("UNKNOWN", [1, 2], ("", None)),
        ("sat", [0.99995, 0.99995], ("feasible", [1, Fraction(0.99995)])),  # only integers are rounded,
        ("sat", [0.9998, 0], ("feasible", [Fraction(0.9998), 0])),  # and only near ones
    ],
)
def test_a_status_and_a_point_are_read_as_a_claim(status, values, expected):
    assert answer((status, values, None, 0), TWO) == (*expected, None)
    claim = expected[0] == "feasible"
    assert answer((status, values, 0.5, 0), TWO)[2] == (Fraction(1, 2) if claim else None)


@pytest.mark.parametrize(
    ("name", "objective", "problem"),
    [("highs", 100.2, "wrong-objective"), ("highs", 100.05, None), ("minisat22", 100.05, "wrong-objective")],
)
def test_only_an_inexact_engine_has_a_tolerance_and_a_relative_one(name, objective, problem):
    case = replace(ROW, model=replace(ROW.model, objective=((0, 100), (1, 1))), witnesses=((1, 0),))
    wrong = judge(ENGINES[name], case, [("OPTIMAL", [1, 0], objective, 0)])
    assert (wrong.problem if wrong else None) == problem


def test_every_step_is_judged_also_after_one_without_an_answer():
    case = replace(ROW, model=replace(ROW.model, steps=(Step(), Step())), witnesses=((1, 0), (1, 0)))
    unknown, no = ("UNKNOWN", [], None, 0), ("INFEASIBLE", [], None, 0)
    for answers, step in (([no, unknown], 0), ([unknown, no], 1)):
        wrong = judge(ENGINES["minisat22"], case, answers)
        assert (wrong.problem, wrong.step, wrong.point) == ("wrong-infeasible", step, (1, 0))
    assert judge(ENGINES["minisat22"], case, [unknown, unknown]) is None
    assert judge(ENGINES["minisat22"], replace(case, witnesses=(None, None)), [no, no]) is None


ASSUMED = replace(
    ROW,
    model=replace(ROW.model, objective=(), steps=(Step(fixed=((0, 0), (1, 0))),), asks_core=True),
    witnesses=(None,),
    points=[(1, 0), (0, 1)],  # each satisfies the row and one of the assumptions
)


@pytest.mark.parametrize(
    ("core", "detail"),
    [
        ([-1, -2], None),
        ([-2], "a point satisfies the core [-2] and all constraints"),
        ([-1], "a point satisfies the core [-1] and all constraints"),
        ([], "a point satisfies the core [] and all constraints"),
        ([-1, 2], "the core [-1, 2] has a literal that is not assumed"),
        ([-1, -2, 3], "the core [-1, -2, 3] has a literal that is not assumed"),
    ],
)
def test_a_core_is_part_of_the_assumptions_and_contradicts_the_constraints(core, detail):
    wrong = judge(ENGINES["minisat22"], ASSUMED, [("unsat", [], None, 0, core)])
    assert (wrong and wrong.detail, wrong and wrong.problem) == (detail, detail and "wrong-core")
    assert judge(ENGINES["minisat22"], ASSUMED, [("unsat", [], None, 0)]) is None
    smaller = replace(ASSUMED, model=replace(ASSUMED.model, variables=(Variable("int", 0, 0), Variable("int", 0, 0))))
    wrong = judge(ENGINES["minisat22"], smaller, [("unsat", [], None, 0, core)])  # no known point is in the domains
    assert (wrong and wrong.detail) == (detail if detail and "not assumed" in detail else None)


REFUTED = Variant(
    "",
    frozenset(),
    VariantModel(
        (Variable(), Variable()),
        tuple(Constraint("clause", clause) for clause in ((1, 2), (-1, 2), (1, -2), (-1, -2))),
        asks_proof=True,
    ),
    (None,),
)


@pytest.mark.parametrize(
    ("proof", "detail"),
    [
        (["2 0", "0"], None),
        (["d 1 2 0", "-1 0"], None),
        ([], "its 0 lemmas hold, but no contradiction follows from them by propagation"),
        (["3 0", "0"], "lemma 1 has a variable that is not in the formula: 3 0"),
        (["2", "0"], "line 1 of the proof is not a lemma, which ends with 0: 2"),
        (["0"], "lemma 1 does not follow by propagation: 0"),
    ],
)
def test_a_proof_of_unsatisfiability_follows_by_propagation(proof, detail):
    wrong = judge(ENGINES["cadical195"], REFUTED, [("unsat", [], None, 0, [], proof)])
    assert (wrong and wrong.detail) == (detail and f"its proof refutes nothing: {detail}")
    assert (wrong and wrong.problem) == (detail and "wrong-proof")


def test_a_wrong_proof_is_reported_with_the_proof_and_confirmed_by_a_new_process(monkeypatch):
    silent = replace(ENGINES["cadical195"], proof="[]")
    monkeypatch.setitem(ENGINES, "cadical195", silent)
    found = verified("cadical195", techniques=("proofs",), cases=55, seed=1)
    (failure,) = found.failures
    assert (failure.wrong.problem, failure.confirmed) == ("wrong-proof", "a new process")
    assert "print('proof:', answers[0][5])\nprint('Wrong in python-sat" in failure.script


@pytest.mark.parametrize("name", ["cpsat", "minisat22", "z3"])
def test_cores_are_asked_for_with_assumptions_and_have_points_that_refute_smaller_ones(name):
    refuted = 0
    for number in range(30):
        case = build(3, number, frozenset({"cores", "flip"} if number % 2 else {"flip"}), ENGINES[name].accepts, {})
        source = ENGINES[name].source(case.model)
        has_core = case.model.asks_core and any(step.fixed for step in case.model.steps)
        assert ("answers[-1] = " in source) == has_core
        for place, (step, witness) in enumerate(zip(case.model.steps, case.witnesses, strict=True)):
            for left_out in step.fixed if witness is None else ():
                core = units(pair for pair in step.fixed if pair != left_out)
                answers = [("", [], None, 0)] * len(case.witnesses)
                answers[place] = ("unsat", [], None, 0, core)
                refuted += judge(ENGINES[name], case, answers) is not None
    assert refuted > 5


@pytest.mark.parametrize(
    "others", [{"flip"}, {"pair", "numeric"}, {"pair", "flip", "auxiliary", "incremental", "form"}]
)
def test_points_that_refute_cores_satisfy_the_constraints_of_the_first_step(others):
    number = 0
    for case in (build(3, own, frozenset({"cores", *others}), ENGINES["cpsat"].accepts, {}) for own in range(40)):
        start = replace(case.model, steps=(Step(),))
        number += len(case.points)
        assert [start.broken(point, 0) for point in case.points] == [""] * len(case.points)
    assert number > 20


def test_a_better_point_than_the_witness_accuses_nobody():
    case = replace(ROW, witnesses=((0, 1),))
    assert judge(ENGINES["highs"], case, [("kOptimal", [1, 0], 1, 0)]) is None


def test_smaller_cases_keep_their_witnesses():
    step = Step(fixed=((0, 1),), hint=((1, 1),), added=(Constraint("clause", (1, 2)),))
    case = replace(ROW, model=replace(ROW.model, steps=(Step(), step)), witnesses=((1, 0), (1, 0)))
    smaller = [*smaller_cases(case)]
    assert len(smaller) > 5
    for one in smaller:
        check(one)


def test_numbers_bounds_and_integrality_are_reduced_until_only_ones_and_zeros_are_left():
    variables = (Variable("int", 700, 705), Variable("real", Fraction(-5, 4), 90), Variable())
    rows = (Constraint("linear", (((0, 3), (1, -8), (2, 250)), "eq", 2356)),)
    case = replace(ROW, model=VariantModel(variables, rows, ((0, 700), (2, -90))), witnesses=((702, 0, 1),))
    seen = 0
    while smaller := list(_simpler_numbers(case)):
        for one in smaller:
            check(one)
        case, seen = smaller[seen % len(smaller)], seen + 1
        assert seen < 50
    assert [factor for _, factor in case.model.objective] == [1, -1]
    assert {abs(factor) for _, factor in case.model.constraints[0].data[0]} == {1}
    assert [(one.kind, one.low, one.high) for one in case.model.variables] == [
        ("real", 0, 0),
        ("real", 0, 0),
        ("bool", 0, 1),
    ]


def verified(name, **options):
    with open_variants(VariantSettings(name, **options)) as session:
        return session.run()


@pytest.mark.parametrize("name", ["cpsat", "minisat22", "cadical195", "scip", "z3", "clingo", "exact", "cbc"])
@pytest.mark.slow
def test_engines_agree_with_the_truth(name):
    engine = ENGINES[name]
    if find_spec(engine.package) is None:  # CI has the extra `engines`, but not Exact, highspy and CPMpy
        pytest.skip(f"{engine.package} is not installed")
    # without the techniques that find known faults of current versions
    found = verified(name, techniques=("form", "redundant", "flip", "incremental"), cases=40)
    assert found.passed, [*found.failure_texts()]


@pytest.fixture
def lying(monkeypatch):
    """An engine that denies models with a clause of negated literals, which only flips make, if a value is open."""

    class Lying(ScriptedEngine):
        def source(self, model):
            clauses = [item.data for item in model.all_constraints() if item.kind == "clause"]
            given = {abs(clause[0]) for clause in clauses if len(clause) == 1}
            lies = any(len(clause) == 2 and max(clause) < 0 and not {*map(abs, clause)} <= given for clause in clauses)
            return super().source(model) + "\nanswers = [('unsat', [], None, 0)] * len(answers)" * lies

    engine = Lying(**vars(ENGINES["minisat22"]))
    monkeypatch.setitem(ENGINES, "lying", engine)
    return engine


@pytest.mark.slow
def test_a_fault_is_found_confirmed_reduced_and_named(lying):
    found = verified("lying", techniques=("flip", "redundant", "incremental"), kind="lights-out", cases=200)
    failure = found.failures[0]
    assert (failure.wrong.problem, bool(failure.confirmed)) == ("wrong-infeasible", True)
    assert len(failure.case.model.constraints) == 1
    assert "incremental" not in failure.techniques
    assert not failure.cures


@pytest.mark.slow
@pytest.mark.parametrize("keep_going", [False, True])
def test_workers_give_the_counts_and_failures_of_one(lying, keep_going):
    settings = VariantSettings("lying", techniques=("flip", "form"), cases=40, keep_going=keep_going)
    found = []
    for executor in (None, Backwards(functools.partial(part, settings))):
        with open_variants(settings) as session:
            session.executor = executor
            found.append(session.run())
    assert found[0].json() == found[1].json()
    assert found[0].failures


@pytest.mark.slow
def test_processes_ask_about_the_same_cases():
    settings = VariantSettings("minisat22", cases=60)
    found = []
    for jobs in (1, 2):
        with open_variants(settings, jobs=jobs) as session:
            found.append(session.run())
    assert found[0].json() == found[1].json()


@pytest.mark.slow
def test_a_version_that_is_wrong_alone_is_named(lying, monkeypatch):
    with open_variants(VariantSettings("lying", against=sys.executable, techniques=("flip",), cases=200)) as session:
        session._processes[0].version = "python-sat 0"
        monkeypatch.setattr(session._processes[1], "engine", ENGINES["minisat22"])
        found = session.run()
    assert found.failures[0].wrong.version == "python-sat 0"
    assert "no wrong answer" in found.failures[0].problem.detail


@pytest.mark.slow
def test_the_script_of_a_failure_needs_only_the_engine(lying, tmp_path, capsys):
    text = verified("lying", techniques=("flip",), cases=200).failures[0].script
    assert "crosslit" not in text
    exec(text, {})
    shown = capsys.readouterr().out
    assert "breaks nothing" in shown
    assert re.match(
        r"Wrong in python-sat [\d.a-z]+: unsat, but a point satisfies all constraints\.", shown.splitlines()[-1]
    )


@pytest.mark.slow
def test_the_first_exception_of_an_engine_is_shown(monkeypatch):
    renamed = replace(ENGINES["minisat22"], solve="s.resolve()")
    monkeypatch.setitem(ENGINES, "renamed", renamed)
    found = verified("renamed", cases=3)
    assert found.summary().endswith(
        "3 AttributeError; first AttributeError: 'Solver' object has no attribute 'resolve'"
    )


@pytest.mark.slow
def test_only_a_new_group_of_failures_of_variants_fails(lying, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--backend", "lying", "--variants", "flip", "--cases", "40", "--baseline", "known.txt", "--junit", "x.xml"]
    assert [verify_command.main(words, standalone_mode=False) for _ in range(2)] == [1, 0]
    assert "new in known.txt: lying wrong-infeasible with" in capsys.readouterr().out
    junit = (tmp_path / "x.xml").read_text(encoding="utf-8")
    assert '<testcase classname="variants.lying" name="wrong-infeasible"><skipped message="known: ' in junit


# A fault is a number of literals of a clause, an answer, and the part of the presolve that has it.
DENIES_TWO = (2, "('unsat', [], None, 0)", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("second", "group"),
    [
        ((3, "('sat', [0] * len(bounds), None, 0)", 1), "broken-point with no technique, cured by rule=1"),
        ((3, "('unsat', [], None, 0)", 2), "wrong-infeasible with no technique, cured by rule=2"),
    ],
)
def test_a_second_fault_with_the_same_cure_is_new(second, group, tmp_path, monkeypatch, capsys):
    faults = [DENIES_TWO]

    class Faulty(ScriptedEngine):
        def source(self, model):
            lies = []
            clauses = [item.data for item in model.all_constraints() if item.kind == "clause"]
            given = {abs(clause[0]) for clause in clauses if len(clause) == 1}
            for size, lie, rule in faults:
                open_clauses = [own for own in clauses if len(own) == size and not {*map(abs, own)} <= given]
                if open_clauses and not {("presolve", "off"), ("rule", rule)} & {*model.options}:
                    lies = [f"answers = [{lie}] * len(answers)"]
            return "\n".join([super().source(model), *lies])

    own = vars(ENGINES["minisat22"]) | {"options": {"presolve": ("off",)}, "switches": (("rule", 2), ("rule", 1))}
    monkeypatch.setitem(ENGINES, "faulty", Faulty(**own))
    monkeypatch.chdir(tmp_path)
    words = ["--backend", "faulty", "--variants", "form", "--cases", "30", "--baseline", "known.txt"]
    assert [verify_command.main(words, standalone_mode=False) for _ in range(2)] == [1, 0]
    assert "none" in capsys.readouterr().out.splitlines()[-1]
    faults.append(second)
    assert verify_command.main(words, standalone_mode=False) == 1
    assert f"  new in known.txt: faulty {group}" in capsys.readouterr().out
    assert "(last seen: python-sat " in (tmp_path / "known.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_option_that_the_engine_refuses_and_a_seed_name_no_group(lying, monkeypatch):
    refuses = {"bad": (1,), "seed": (1,)}
    own = vars(lying) | {"options": refuses, "option": lambda name, _: "1 / 0" if name == "bad" else "pass"}

    class Lucky(type(lying)):
        def source(self, model):
            return super().source(model) if not model.options else ScriptedEngine(**own).source(model)

    monkeypatch.setitem(ENGINES, "lying", Lucky(**own))
    (failure,) = verified("lying", techniques=("flip",), cases=200).failures
    assert failure.cures == ("seed=1",)
    assert failure.group == "wrong-infeasible with no technique, cured by no option"


def _with_fault(
    engine: str, monkeypatch: pytest.MonkeyPatch, change: Callable[[ScriptedEngine, VariantModel], str]
) -> str:
    class Faulty(ScriptedEngine):
        def source(self, model: VariantModel) -> str:
            return change(ENGINES[engine], model)

    monkeypatch.setitem(ENGINES, "faulty", Faulty(**vars(ENGINES[engine])))
    return "faulty"


def negated(engine: ScriptedEngine, model: VariantModel) -> str:
    """A script in which clauses of two literals are others, of which some are satisfied by fewer points."""
    items = [
        Constraint("clause", tuple(-literal for literal in item.data))
        if item.kind == "clause" and len(item.data) == 2
        else item
        for item in model.constraints
    ]
    return engine.source(replace(model, constraints=tuple(items)))


def crashing(engine: ScriptedEngine, model: VariantModel) -> str:
    """A script that ends its process at clauses of two literals."""
    crashes = any(item.kind == "clause" and len(item.data) == 2 for item in model.constraints)
    return engine.source(model) + "\nimport os\nos.abort()" * crashes


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["minisat22", "cpsat"])
def test_a_mistake_in_the_translation_is_not_confirmed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = _with_fault(engine, monkeypatch, negated)
    found = verified(name, techniques=("form",), kind="lights-out", cases=30, keep_going=True)
    assert not found.failures
    assert {failure.wrong.problem for failure in found.unconfirmed} - {"wrong-infeasible"} == {"broken-point"}
    assert all("not confirmed: engine or translation" in failure.text() for failure in found.unconfirmed)


@pytest.mark.slow
def test_a_crash_that_repeats_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verified(_with_fault("minisat22", monkeypatch, crashing), techniques=("form",), cases=200)
    (failure,) = found.failures
    assert (found.passed, failure.wrong.problem) == (False, "crash")
    assert "confirmed  by a new process" in failure.text()


def test_a_raw_answer_with_a_fraction_is_read_exactly():
    model = VariantModel((Variable("real", 0, 1),), ())
    assert answer(("sat", ["1/100000"], None, 0), model)[1] == [Fraction(1, 100_000)]  # nor is it made whole
    assert answer(("sat", ["1/100000"], None, 0), VariantModel((Variable(),), ()))[1] == [0]
    claim, point, _ = answer(("sat", ["1/3"], None, 0), model)
    assert (claim, [str(value) for value in point]) == ("feasible", ["1/3"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--backend", "minisat22", "--variants", "nothing"], "no technique 'nothing'"),
        (["--backend", "minisat22", "--variants", "hard,nothing"], "no technique 'nothing'"),
        (["--backend", "brute", "--variants", "all"], "no variants for this engine"),
        (["--variants", "all"], "needs --backend"),
        (["--backend", "minisat22", "--variants", "all", "--size", "NxN"], "does not take --size"),
    ],
)
def test_the_command_refuses_what_it_does_not_know(words: list[str], message: str, crosslit: Command) -> None:
    result = crosslit("verify", *words)
    assert (result.returncode, message in result.stderr) == (2, True)
