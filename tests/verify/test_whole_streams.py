"""The complete sequences of puzzles, and of models for engines, as stored in ``streams.txt`` and ``variants.txt``."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crosslit_generate import cases
from crosslit_verify import Settings
from crosslit_verify.stream import probes, stream
from crosslit_verify.variants import session
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.forms import Unclear
from crosslit_verify.variants.judging import check as require_witnesses
from crosslit_verify.variants.session import VariantSession, VariantSettings
from crosslit_verify.variants.techniques import TECHNIQUES, build, smaller_cases, techniques_of

from tests.stored import check

HERE = Path(__file__).parent


def digest(*parts: object) -> str:
    """Eight digits that stand for what is too long to be stored."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:8]


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("lights-out", {}),
    ("lights-out", {"varied": True, "seed": 1}),
    ("lights-out", {"size": "3..5,NxN", "only": "solvable"}),
    ("lights-out", {"only": "unsolvable"}),
    ("lights-out", {"press": "king", "wrap": "torus", "only": "unique"}),
    ("lights-out", {"holes": True, "size": "2x3,4"}),
    ("lights-out", {"size": "..1"}),
    ("modular-lights-out", {}),
    ("modular-lights-out", {"states": 3, "press": "diagonal", "wrap": "moebius"}),
    ("modular-lights-out", {"holes": True, "size": "..2"}),
    ("nonogram", {}),
    ("nonogram", {"only": "valid", "size": "1..3"}),
    ("nonogram", {"only": "unique", "size": "NxN"}),
    ("nonogram", {"size": "10", "only": "solvable"}),
    ("nonogram", {"size": "12..18", "seed": 7}),
    ("coloured-nonogram", {}),
    ("coloured-nonogram", {"only": "unsolvable", "size": "..2"}),
]


def solutions_of(case: Any) -> list[str] | None:
    """The solutions of a case in a fixed order, if they are known."""
    return None if case.solutions is None else sorted(grid.text() for grid in case.solutions)


@pytest.mark.parametrize(("kind", "given"), SETTINGS)
def test_settings_mean_the_same_puzzles_for_ever(kind: str, given: dict[str, Any]) -> None:
    settings = Settings(kind, **given)
    found = list(itertools.islice(stream(settings), 40))
    lines = [
        f"{settings.puzzles}, up to {settings.longest}, {len(settings.allowed_shapes)} shapes",
        f"probes: {' '.join(puzzle.text for puzzle in probes(settings)[:4])}",
    ]
    families = Counter(case.family for case in found)
    lines += [", ".join(f"{name} {number}" for name, number in families.items())]
    lines += [f"{case.family}: {case.puzzle.text[:80]}" for case in found[2:6]]
    lines.append(digest(*((case.family, case.puzzle.text, case.last, solutions_of(case)) for case in found)))
    check(HERE / "streams.txt", f"{kind} {given}", "\n".join(lines))


RANDOM: list[tuple[str, dict[str, Any]]] = [
    (kind, given)
    for kind in ("lights-out", "modular-lights-out", "nonogram", "coloured-nonogram")
    for given in (
        {},
        {"square": True, "seed": 2},
        {"max_size": 3},
        {"shapes": [(2, 4), (4, 3)], "only": "solvable"},
        {"most_solutions": 1},
        {"max_size": 4, "only": "unique"},
    )
]


@pytest.mark.parametrize(("kind", "given"), RANDOM)
def test_random_puzzles_are_the_same_for_ever(kind: str, given: dict[str, Any]) -> None:
    found = list(itertools.islice(cases(kind, exhaustive=False, **given), 40))
    families = Counter(case.family for case in found)
    words = ", ".join(f"{name} {number}" for name, number in families.items())
    shapes = Counter(f"{case.puzzle.rows}x{case.puzzle.columns}" for case in found)
    text = f"{words}\n{dict(shapes.most_common(8))}\n{digest(*(case.puzzle.text for case in found))}"
    check(HERE / "streams.txt", f"random {kind} {given}", text)


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_the_models_for_an_engine_are_the_same_for_ever(name: str) -> None:
    engine, lines = ENGINES[name], []
    for number in range(16):
        techniques = techniques_of(1, number, TECHNIQUES)
        try:
            case = build(1, number, techniques, engine.accepts, engine.options, None, 5 if number == 11 else 0)
        except Unclear as reason:
            lines.append(f"{number} {'+'.join(sorted(techniques))}: unclear, {reason}")
            continue
        require_witnesses(case)
        model = case.model
        kinds = Counter(constraint.kind for constraint in model.all_constraints())
        smaller = list(itertools.islice(smaller_cases(case), 15))
        for one in smaller:
            require_witnesses(one)
        shape = f"{len(model.variables)} variables, {dict(sorted(kinds.items()))}, {len(model.steps)} steps"
        digests = f"{digest(model, case.witnesses)} {digest(engine.source(model))}"
        digests += f" {digest(*((one.model, one.witnesses) for one in smaller))}"
        lines.append(f"{number} {'+'.join(sorted(techniques))}: {case.puzzle[:40]}, {shape}; {digests}")
    lines.append(f"16 to 75: {digest(*more_models(name))}")
    check(HERE / "variants.txt", name, "\n".join(lines))


def more_models(name: str) -> Iterator[str]:
    """The models of further cases, each with a few of its smaller ones: every choice of a technique occurs in some."""
    engine = ENGINES[name]
    for number in range(16, 76):
        with contextlib.suppress(Unclear):
            case = build(2, number, techniques_of(2, number, TECHNIQUES), engine.accepts, engine.options, None)
            for each in (case, *itertools.islice(smaller_cases(case), 0, 40, 13)):
                require_witnesses(each)
                yield f"{number} {each.puzzle} {each.model} {each.witnesses}"


class Engine:
    """An engine in this process; the one under test answers as a function of the model says."""

    fault: Any = None

    def __init__(self, engine: Any, *_: object) -> None:
        self.engine, self.version, self.is_tested = engine, f"{engine.package} 1.0", len(opened) == 0
        opened.append(self)

    def execute(self, source: str, _: float | None = None) -> Any:
        namespace: dict[str, Any] = {}
        exec(source, namespace)
        return namespace["answers"]

    def solve(self, model: Any) -> Any:
        lie = Engine.fault(model) if self.is_tested else None
        return self.execute(self.engine.source(model)) if lie is None else lie

    def close(self) -> None:
        pass


opened: list[Engine] = []


def claims_infeasible(model: Any) -> Any:
    """Says infeasible where two constraints are equations, but not where a point is given."""
    equations = sum(item.kind == "linear" and item.data[1] == "eq" for item in model.all_constraints())
    is_given = sum(len(item.variables) == 1 for item in model.all_constraints()) >= len(model.variables)
    return [("INFEASIBLE", [], 0, 0)] * len(model.steps) if equations > 1 and not is_given else None


def gives_zeros(model: Any) -> Any:
    """Gives the point of zeros as an optimum."""
    return [("OPTIMAL", [0] * len(model.variables), 0, 3000)] * len(model.steps)


def ends(model: Any) -> Any:
    """Ends where there are three variables or an option."""
    return "crash: killed by SIGSEGV" if len(model.variables) > 2 or model.options else "hang: too late"


def gives_up(model: Any) -> Any:
    """Knows no answer."""
    return [("NOT_SOLVED", [], 0, 0)] * len(model.steps)


@pytest.mark.parametrize("fault", [claims_infeasible, gives_zeros, ends, gives_up])
@pytest.mark.parametrize("given", [{"cases": 8, "keep_going": True}, {"cases": 40, "seed": 5, "kind": "nonogram"}])
def test_the_whole_result_of_a_faulty_engine(
    monkeypatch: pytest.MonkeyPatch, fault: Any, given: dict[str, Any]
) -> None:
    pytest.importorskip("ortools")
    monkeypatch.setattr(session, "EngineProcess", Engine)
    monkeypatch.setattr(session, "find_spec", lambda package: package if package == "ortools" else None)
    monkeypatch.setattr(Engine, "fault", staticmethod(fault))
    opened.clear()
    with VariantSession(VariantSettings("cbc", **given)) as running:
        found = running.run()
    texts = [*found.failure_texts(), found.summary().split(" a second; ")[-1], str(found.json()["counts"])]
    texts += [f"{path} {digest(*content.decode().splitlines())}" for path, content in found.files("x.py").items()]
    check(HERE / "variants.txt", f"cbc {fault.__name__} {given}", "\n".join(texts))
