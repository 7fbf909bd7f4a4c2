"""One forged certificate, or more, for each reason for which a checker rejects."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from crosslit import Grid, kinds, load
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate, CheckResult, Claim, Encoding
from crosslit.judging import certificates
from crosslit.judging.certificates import check
from crosslit.registry import all_encodings

WIDE = f"press={'11111,' * 4}11111/{'000000000/' * 8}000000000"
FOLDERS = [Path(certificates.__file__).parent, Path(kinds.__file__).parent]


@dataclass
class Forgery:
    """A certificate that proves nothing, and the functions and limits replaced for it, by their dotted names."""

    puzzle: str
    format: str
    body: Mapping[str, object]
    count: int = 0
    claim: Claim | None = None
    about: str | None = None  # the puzzle of the certificate if it is another one
    patches: Mapping[str, object] = field(default_factory=dict)

    def rejected(self, monkeypatch: pytest.MonkeyPatch) -> pytest.ExceptionInfo[CertificateRejected]:
        for name, value in self.patches.items():
            monkeypatch.setattr(name, value)
        claim: Claim = self.claim or ("unsolvable", "unique", "complete")[min(self.count, 2)]  # type: ignore[assignment]
        made = Certificate(self.format, load(self.about or self.puzzle).id, claim, self.count, self.body)
        with pytest.raises(CertificateRejected) as rejection:
            check(load(self.puzzle), made)
        return rejection


def parity(puzzle: str, lights: object, **changes: Any) -> Forgery:
    return Forgery(puzzle, "lights-out-parity", {"lights": lights}, **changes)


MOST = "crosslit.kinds.lights_out.certificates.MAX_BITS"  # 500 for a cell


def free(body: Mapping[str, object], count: int = 2, puzzle: str = "11", **changes: Any) -> Forgery:
    return Forgery(puzzle, "lights-out-free", {**FREE, **body}, count, **changes)


def sums(puzzle: str, body: Mapping[str, object], **changes: Any) -> Forgery:
    return Forgery(puzzle, "nonogram-sums", body, **changes)


def line(axis: str, number: str, needs: str, has: str) -> dict[str, object]:
    return {"axis": axis, "line": number, "needs": needs, "has": has}


def refuted(
    solutions: object, proof: str = "", puzzle: str = "1,1|1,1", encoding: object = "order", **rest: Any
) -> Forgery:
    count = rest.pop("count", len(solutions) if isinstance(solutions, list) else 2)
    body = {"encoding": encoding, "prover": "nobody", "solutions": solutions, "proof": proof}
    return Forgery(puzzle, "refutation", body, count, **rest)


def planted(solutions: list[str], encode: Any, puzzle: str = "1,1|1,1") -> Forgery:
    """A refutation of the formula of a wrong encoder."""
    encoding = Encoding("planted", load(puzzle).kind, "cnf", encode, frozenset(), "")
    patches = {"crosslit.judging.certificates.find_encoding": lambda *_: encoding}
    return refuted(solutions, puzzle=puzzle, encoding="planted", patches=patches)


def order_of(puzzle: str) -> Any:
    return lambda _: all_encodings()["nonogram", "cnf", "order"].encode(load(puzzle))


def chased(**changes: Any) -> Any:
    """An encoder that chooses other cells of boards of 2 x 2, or makes another solution of them."""

    def encode(board: Any) -> Any:
        formula = all_encodings()["lights-out", "cnf", "chased-cut4"].encode(board)
        return replace(formula, extend=formula.extend._replace(**changes))

    return encode


def three_states(puzzle: Any) -> Any:
    return replace(all_encodings()["nonogram", "cnf", "order"].encode(puzzle), states=3)


def cannot_be_imported(_: object) -> Any:
    raise ImportError("no module")


FREE = {"free": "10", "kernel": ["11"], "solution": "10"}
SUMS = {"rows": "1", "columns": "0"}
BOTH = ["10/01", "01/10"]
HARD = "1 1,1 1,1 1,1 1,1 1|1 1,1 1,1 1,1 1,1 1"  # propagation by itself decides nothing
PROVES_MORE = {"crosslit.judging.certificates.check_proof": lambda *_: CheckResult("complete", 2, "")}

FORGERIES = {
    # every format
    "it is about another puzzle": free({}, about="00"),
    "there is no format 'none'; there are lights-out-parity, ": Forgery("11", "none", {}),
    "its number of solutions is not that of its claim, unique": free({}, claim="unique"),
    "its number of solutions is not that of its claim, unsolvable": free({}, claim="unsolvable"),
    "its number of solutions is not that of its claim, complete": sums("1|0", SUMS, claim="complete"),
    "its number of solutions is not that of its claim": free({"kernel": []}, 1, "100", claim="complete"),
    "it proves another claim than it makes": refuted([], patches=PROVES_MORE),
    "its body needs text as 'lights'": parity("10", ["11"]),
    "'lights' is not a grid of the puzzle: ": parity("10", "x"),
    "'lights' is not a grid of the puzzle: expected 1 rows of 2 cells": parity("10", "1"),
    "it is for boards of two states with a press pattern": parity("modular-lights-out:2/edges=1-2/10", "10"),
    # parities of lights
    "a parity only proves that there is no solution": parity("10", "11", count=1),
    "it counts missing cells as lights": parity("1_", "11"),
    "the press in row 1, column 1 toggles an odd number of its lights": parity("100/000", "111/111"),
    "an even number of its lights is lit": parity("11", "11"),
    "it is for boards of two states with a press pattern and no": free({}, puzzle="modular-lights-out:3/11"),
    # free cells
    "a free cell is missing": free({"free": "001", "kernel": ["110"], "solution": "010"}, puzzle="11_"),
    "2 cells, 1 of them free, are too many": free({}, patches={MOST: 999}),
    "a quiet pattern presses a missing cell": free({"free": "100/000", "kernel": ["111/000"]}, puzzle="11_/111"),
    "pattern 1 is not quiet": free({"kernel": ["10"]}),
    "there are more quiet patterns than it gives": free({"kernel": []}, 1),
    "its free cells leave 2 presses open": free({"free": "00"}),
    "its quiet patterns depend on each other": free({"kernel": ["11", "11"]}, 4),
    "its solution is wrong: ": free({"solution": "00"}),
    "it proves 2^1 solutions, which is not its claim": free({}, 1, patches={MOST: 1000}),
    # sums of clues
    "there is no format 'nonogram-sums'; there are lights-out-parity, ": sums("10", {"rows": "2", "columns": "1"}),
    "sums of clues only prove that there is no solution": sums("1,1|1,0", {"rows": "2", "columns": "1"}, count=1),
    "its body has either rows and columns, or axis, line, needs and has": sums("1,1|1,0", {"rows": "2"}),
    "the rows and the columns both need 2 filled cells": sums("2,0|1,1", {"rows": "2", "columns": "2"}),
    "rows differs from the clues": sums("2,0|1,1", {"rows": "3", "columns": "2"}),
    "'rows' is not a whole number in decimal digits": sums("2,0|1,1", {"rows": "-3", "columns": "2"}),
    "an axis is row or column": sums("2|1", line("diagonal", "1", "2", "1")),
    "there is no row 0": sums("2|1", line("row", "0", "2", "1")),
    "there is no row 2": sums("2|1", line("row", "2", "2", "1")),
    "the clue of row 1 needs 2 cells, and the line has 2": sums("2,0|1,1", line("row", "1", "2", "2")),
    "the clue of column 1 needs 1 cells, and the line has 2": sums("2,0|1,1", line("column", "1", "1", "2")),
    # refutations of formulas
    "its body needs a list as 'solutions'": refuted("10/01"),
    "it knows 1 solutions and claims 2": refuted(BOTH[:1], count=2),
    "it knows 10001 solutions; at most 10000": refuted(["10/01"] * 10_001),
    "solution 2 is not a grid of the puzzle: ": refuted(["10/01", "1"]),
    "solution 1 is not a grid of the puzzle: ": refuted([7, "10/01"]),
    "solution 2 breaks the rules: row 1": refuted(["10/01", "11/00"]),
    "it knows a solution twice": refuted(["10/01", "10/01"]),
    "its body needs text as 'encoding'": refuted(BOTH, encoding=["order"]),
    "there is no encoding 'chaos' of nonogram puzzles": refuted(BOTH, encoding="chaos"),
    "there is no encoding 'full-direct' of nonogram": refuted(BOTH, encoding="full-direct"),  # one of boards
    "there is no encoding 'starts' of nonogram puzzles to CNF": refuted(BOTH, encoding="starts"),  # to CP-SAT
    "an XOR of 20 variables takes 2^19 clauses": refuted([], puzzle=WIDE, encoding="full-direct"),
    "line 1 of the proof is not a lemma": refuted(BOTH, "1 -2"),
    "no module": planted(BOTH, cannot_be_imported),
    "the cells of planted are neither all cells nor chosen ones": planted(BOTH, order_of("1|1,0")),
    "the cells of planted are neither": planted(BOTH, three_states),
    "planted makes another solution of the chosen cells of 10/01": planted(
        ["10/01"], chased(solution=lambda _: Grid.from_bits(2, 2, 0)), "10/01"
    ),
    "planted makes another solution": planted(["10/01"], chased(chosen=((1, 0), (1, 1))), "10/01"),
    "lemma 1 has a variable that is not in the formula": refuted(BOTH, "999999999 0\n0"),
    "lemma 1 does not follow by propagation: 1 0": refuted([], "1 0", HARD),
    "its 0 lemmas hold, but no contradiction follows from them by propagation": refuted([], "", HARD),
}


TALL = {"free": "11/00/00", "solution": "00/00/00"}
# A check may look at a part of what it should: these are rejected for the same reasons by the other parts.
OTHERS = [
    ("pattern 1 is not quiet", free({**TALL, "kernel": ["10/00/00"]}, puzzle="00/00/00")),
    ("pattern 1 is not quiet", free({**TALL, "kernel": ["00/00/01"]}, puzzle="00/00/00")),
    ("its free cells leave 1 presses open", free({"free": "0", "kernel": []}, 1, "press=010,000,000/0")),
    ("a free cell is missing", free({"free": "101", "kernel": ["110"], "solution": "010"}, puzzle="11_")),
    ("it knows a solution twice", refuted(["10/01", "01/10", "10/01"])),
    ("'lights' is not a grid of the puzzle: expected 2 rows of 3 cells", parity("111/111", "10/10/10")),
    ("lemma 1 has a variable that is not in the formula", refuted(BOTH, "-999999999 0\n0")),
    ("lemma 1 has a variable that is not in the formula", refuted(BOTH, "-9 1 0\n0")),
]


@pytest.mark.parametrize(("reason", "forgery"), OTHERS)
def test_another_forgery_is_rejected_for_the_same_reason(
    reason: str, forgery: Forgery, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(forgery.rejected(monkeypatch).value).startswith(reason)


@pytest.mark.parametrize("reason", FORGERIES)
def test_a_forgery_is_rejected_for_its_reason(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(FORGERIES[reason].rejected(monkeypatch).value).startswith(reason)


def test_every_rejection_has_a_forgery() -> None:
    raised = set()
    for forgery in FORGERIES.values():
        with pytest.MonkeyPatch.context() as patch:
            place = forgery.rejected(patch).traceback[-1]
        raised.add((Path(place.path).name, place.lineno + 1))
    sites = {
        (path.name, node.lineno)
        for path in (path for folder in FOLDERS for path in folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and "CertificateRejected" in ast.unparse(node)
    }
    assert len(sites) > 30
    assert sites - raised == set()
