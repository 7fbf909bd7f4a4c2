"""The judges of solutions, counts and fewest presses on given runs: who is believed, and who is wrong.

After the title of a case come its puzzle and its runs, each a name with its lineage (``~``) if that has another name,
its status if that is not complete, and its answers; then the verdict, and a line for each finding.
"""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from crosslit import Grid, Limits, load
from crosslit.contract import Certificate, Certified, CheckResult
from crosslit.contract.run import Run, RunStatus
from crosslit.judging.solutions import judge, judge_count, judge_fewest
from crosslit.judging.verdict import Finding
from tests.conftest import plant_nullity

CASES = """
## two lineages agree
1,1|1,1: a 10/01 01/10; b 01/10 10/01
multiple 2, agreed by a, b
## one lineage does not confirm itself
1,1|1,1: a~chase 10/01 01/10; b~chase 10/01 01/10
multiple 2, claimed by a
## brute force is the best evidence
1,1|1,1: a 10/01 01/10; b 10/01 01/10; brute 10/01 01/10
multiple 2, brute-force by brute
## one solution without a complete run decides nothing
1,1|1,1: a limit 10/01
undecided 1 or more
## runs that lack a checked solution are not believed
1,1|1,1: a 10/01; b 10/01; c limit 01/10
multiple 2 or more, witnessed by a, c
a: missing-solution 01/10
b: missing-solution 01/10
## a run that has several solutions and lacks others claims no uniqueness
1,1,1|1,1,1: a 001/010/100 001/100/010; b 001/010/100 001/100/010 100/010/001
multiple 3, claimed by b
a: missing-solution 100/010/001
## a wrong solution counts for nothing
1,1|1,1: a 11/00; b 10/01 01/10
multiple 2, claimed by b
a: wrong-solution 11/00
a: missing-solution 10/01
## each problem of a run has its first witness
1,1|1,1: a 11/00 10/01 11/11 10/01 11/00 01/10 01/10; b 10/01 01/10
multiple 2, claimed by b
a: wrong-solution 11/00
a: duplicate-solution 10/01
## one run with two witnesses is named once
1,1|1,1: a limit 10/01 01/10; b limit 01/10
multiple 2 or more, witnessed by a
## a run with a wrong solution is not believed when it says that there are no others
1,1|1,1: a 00/00 11/00
undecided 0 or more
a: wrong-solution 00/00
## a run that did not finish claims nothing
1,1|1,1: a limit; b gave-up; c timeout; d memory; e interrupted; f unsupported; g 10/01 01/10
multiple 2, claimed by g
## a backend that is wrong in one repetition supports nothing
1,1|1,1: a 10/01 01/10; a again 10/01; b 10/01 01/10
multiple 2, claimed by b
a: missing-solution 01/10
## a backend that fails in one repetition supports nothing
1,1|1,1: a 10/01 01/10; a again error; b 10/01 01/10
multiple 2, claimed by b
a: error
## two complete runs agree even if a third lacks a solution of both
1,1|1,1: c 10/01; a 10/01 01/10; b 10/01 01/10
multiple 2, agreed by a, b
c: missing-solution 01/10
## every run of one lineage is to blame for too few solutions
00/00/00: a~x 00/00/00; b~x 00/00/00
undecided 1 or more
a: contradicts-nullity
b: contradicts-nullity
## as many as the nullity says agree with it
00/00/00: a 00/00/00 10/11/10 01/11/01 11/00/11
multiple 4, claimed by a
## no solution and a certificate of some leave the nullity out of it
00/00/00: a; b; certified 4
undecided 0 or more
a: disagreement
b: disagreement
maker: disagreement
## a solution more than a certificate allows proves it wrong even without a complete run
1,1|1,1: a timeout 10/01 01/10; certified 1
multiple 2 or more, witnessed by a
maker: contradicted-certificate
## a certificate of more than was found is certified whoever has found what
1,1|1,1: a timeout 10/01; certified 2
multiple 2, certified by maker
## brute force and the nullity do not win against each other
00/00/00: brute 00/00/00
undecided 1 or more
brute: disagreement
nullity: disagreement
## every complete run is named if two lineages disagree with the nullity
00/00/00: a 00/00/00; brute 00/00/00; c 00/00/00
undecided 1 or more
a: disagreement
brute: disagreement
c: disagreement
nullity: disagreement
## as many solutions as a nullity of 1 allows twice prove it wrong in a complete run
nullity=1 00/00/00: a 00/00/00 10/11/10 01/11/01 11/00/11
multiple 4, claimed by a
nullity: contradicts-nullity
## two checked solutions witness that there are several whatever disagrees
nullity=3 00/00/00: a 00/00/00 10/11/10 01/11/01 11/00/11; b 00/00/00 10/11/10 01/11/01 11/00/11
multiple 4 or more, witnessed by a
a: disagreement
b: disagreement
nullity: disagreement
## a certificate is the best evidence
11/11: maker 11/11; brute 11/11; certified 1
unique 1, certified by maker
## a certificate that trusts its encoder adds nothing to what is only witnessed
1,1|1,1: a timeout 10/01 01/10; certified 2 trusting its encoder
multiple 2 or more, witnessed by a
## a certificate that trusts its encoder is listed with a claim
1,1|1,1: a~order 10/01 01/10; b~order 10/01 01/10; certified 2 trusting its encoder
multiple 2, claimed by a with a certificate
## a certificate that trusts its encoder certifies what others have found without it
1,1|1,1: maker~order 10/01 01/10; c~none 10/01 01/10; certified 2 trusting its encoder
multiple 2, certified by maker
## a complete run and a certificate do not win against each other
1,1|1,1: a 10/01; certified 2
undecided 1 or more
a: disagreement
maker: disagreement
## runs, the nullity and a certificate are all named if they disagree
00/00/00: a 00/00/00; b 00/00/00; certified 4
undecided 1 or more
a: disagreement
b: disagreement
nullity: disagreement
maker: disagreement
## a certificate with the nullity outweighs a single claim
00/00/00: a 00/00/00; certified 4
multiple 4, certified by maker
a: contradicts-nullity
## a claim that a certificate supports is not blamed by the nullity
00/00/00: a 00/00/00; certified 1
undecided 1 or more
a: disagreement
nullity: disagreement
maker: disagreement
## a checked solution proves a certificate of none wrong
11/11: maker; other limit 11/11; certified 0
undecided 1 or more
maker: false-unsolvable 11/11
maker: contradicted-certificate
## a certificate that the nullity contradicts is not believed
1111/1111/1111/1111: a limit 0000/1111/1001/1111 1000/0011/0011/1000; certified 8
multiple 2 or more, witnessed by a
nullity: disagreement
maker: disagreement
## all that found a solution first witness their number
1,1,1|1,1,1: a limit 100/010/001; b limit 100/001/010; c limit 010/100/001; d limit 100/010/001
multiple 3 or more, witnessed by a, b, c
## a run whose certificate was refused confirms no other
1,1|1,1: a refused 10/01 01/10; b refused 10/01 01/10; c 10/01 01/10
multiple 2, claimed by c
## if all certificates were refused the first claims
1,1|1,1: a refused 10/01 01/10; b refused 10/01 01/10
multiple 2, claimed by a

## a count that was given up is none
count 1,1|1,1: a gave-up; b =2
2, claimed by b
## counts that differ name both
count 1,1|1,1: a =2; b =3
None
a: counts-differ
b: counts-differ
## two lineages outvote a count
count 1,1|1,1: a =2; b =3; c =2
2, agreed by a, c
b: wrong-count
## solutions that were found prove a count wrong
count 1,1|1,1: a =1; e gave-up 10/01 01/10
None
a: wrong-count
## two counts against the nullity and another that it contradicts alone are all named
count 1111/1111/1111/1111: a =8; b =8; c =2
None
a: disagreement
b: disagreement
c: disagreement
nullity: disagreement
## a count is right next to one that the nullity contradicts
count 1111/1111/1111/1111: a =16; b =8
16, claimed by a
b: contradicts-nullity
## no solution does not contradict the nullity
count press=neighbours/1: a =0
0, claimed by a
## brute force and the nullity do not win in counting either
count 1111/1111/1111/1111: brute =8
None
brute: disagreement
nullity: disagreement
## a count that takes the side of the nullity against two lineages is named too
count 1111/1111/1111/1111: a =8; b =16; c =8
None
a: disagreement
c: disagreement
b: disagreement
nullity: disagreement
## a count and an unfinished list that contradict the nullity leave the count to blame
count 00/00/00: a =1; e gave-up 00/00/00
None
a: contradicts-nullity
## a count and a list that contradict the nullity together are not blamed
count 00/00/00: a =1; e 00/00/00
None
e: disagreement
a: disagreement
nullity: disagreement
## a count of none next to a checked solution is wrong
count 00/00/00: a =0; e timeout 00/00/00
None
a: wrong-count
## more checked solutions than the nullity allows prove it wrong
count nullity=1 00/00/00: a =4; e 00/00/00 10/11/10 01/11/01 11/00/11
4, agreed by e, a
nullity: contradicts-nullity
## as many checked solutions as the nullity allows agree with it
count 00/00/00: a =4; e 00/00/00 10/11/10 01/11/01 11/00/11
4, agreed by e, a
## an error in counting is a finding
count 1,1|1,1: a error
None
a: error

## different solutions of the fewest presses agree
fewest 11/11/11: a 11/11/00 10/00/01 bound=2; b 01/00/10
optimal, agreed by a, b, 2 at least 2
## a run that claims too many presses is wrong, and five lights a press bound six from below
fewest 11/11/11: a 11/11/00; b timeout 10/00/01
optimal, claimed by b, 2 at least 2
a: not-fewest 10/00/01
## a single press too many is wrong
fewest press=neighbours/0: a 0; b 1
optimal, claimed by a, 0 at least 0
b: not-fewest 0
## a run that claims that there is no solution is wrong
fewest 11/11/11: a; b 10/00/01
optimal, claimed by b, 2 at least 2
a: false-unsolvable 10/00/01
## a bound above a solution is wrong and bounds nothing
fewest 11/11/11: a timeout bound=3; b 10/00/01
optimal, claimed by b, 2 at least 2
a: false-bound 10/00/01
## a grid that breaks the rules is no optimum
fewest 11/11/11: a 10/00/00; b 10/00/01
optimal, claimed by b, 2 at least 2
a: wrong-solution 10/00/00
## of solutions in any order the best counts
fewest 11/11/11: a 10/00/01 11/11/00 01/00/10
optimal, claimed by a, 2 at least 2
## an empty solution needs no bound
fewest 000/000/000/000: a timeout 000/000/000/000
optimal, claimed by a, 0 at least 0
## a bound below the best solution leaves open what is the fewest
fewest 11/11/11: a timeout 11/11/00; b timeout bound=2
undecided, 4 at least 2
## a bound of one run and a solution of another decide together
fewest 00/11/00: a timeout 11/00/00; b timeout bound=2
optimal, claimed by a, b, 2 at least 2
## a run that decides nothing is not named
fewest 11/11/11: low timeout bound=1; liar timeout bound=5 10/00/01; a timeout 10/00/01
optimal, claimed by a, 2 at least 2
liar: false-bound 10/00/01
## a bound of all cells can be true
fewest 1: a timeout bound=1
undecided, None at least 1
## a bound above all cells is a wrong way to say that there is no solution
fewest 1: a timeout bound=2
undecided, None at least 1
a: false-bound
## a bound above its own optimum is wrong
fewest 1: a bound=2 1
optimal, claimed by a, 1 at least 1
a: false-bound 1
## a backend that is wrong in one repetition does not find the fewest presses
fewest 11/11/11: a bound=2 10/00/01; a again 11/11/00; b 01/00/10
optimal, claimed by b, 2 at least 2
a: not-fewest 01/00/10
## a bound of a backend that is wrong in another repetition bounds nothing
fewest 00/11/00: a timeout bound=2; a again timeout bound=3; b limit 11/00/00
undecided, 2 at least 1
a: false-bound 11/00/00
## runs agree that a board has no solution
fewest 10: a bound=7; b
unsolvable, agreed by a, b, None at least None
## a wrong grid with fewer presses does not hide that a solution has too many
fewest 11/11/11: a 11/11/00 10/00/00; b 10/00/01
optimal, claimed by b, 2 at least 2
a: wrong-solution 10/00/00
a: not-fewest 10/00/01
## a solution of a run that did not end claims nothing
fewest 11/11/11: a timeout 11/11/00; b 10/00/01
optimal, claimed by b, 2 at least 2
## an error in looking for the fewest presses is a finding
fewest 0: a error
undecided, None at least 0
a: error
## the lights bound the presses if no run does
fewest 10: a gave-up
undecided, None at least 1
"""
_, *FOUND = re.split(r"^## ", CASES, flags=re.MULTILINE)


def run_of(text: str) -> Run:
    """Return the run that a case describes."""
    name, *words = text.split()
    name, _, lineage = name.partition("~")
    grids, more, status = [], dict[str, Any](), "complete"
    for word in words:
        if word in get_args(RunStatus):
            status = word
        elif word == "again":
            more["repetition"] = 1
        elif word[0] == "=":
            more["counted"] = int(word[1:])
        elif word.startswith("bound="):
            more["bound"] = int(word[6:])
        elif word != "refused":
            grids.append(Grid.from_text(word))
    return Run(name, status=status, grids=grids, trusted_base=frozenset({lineage or name}), **more)  # type: ignore[arg-type]


def certified(text: str) -> Certified:
    """Return the accepted certificate that a case describes."""
    number, *trusted = text.split()[1:]
    claim: Any = {"0": "unsolvable", "1": "unique"}.get(number, "complete")
    certificate = Certificate("a format", "an id", claim, int(number), {})
    return Certified(
        certificate, "maker", CheckResult(claim, int(number), "a check", ("encoder order",) * bool(trusted))
    )


def verdict_of(question: str, puzzle: Any, runs: list[Run], **more: Any) -> tuple[str, tuple[Finding, ...]]:
    """Return the words of a verdict, and the findings."""
    if question == "count":
        # runs that were made to list solutions are in a list of their own
        lists = [run for run in runs if run.grids]
        counted = judge_count(puzzle, [run for run in runs if not run.grids], Limits(None), lists)
        by = f", {counted.evidence} by {', '.join(counted.by)}" if counted.evidence else ""
        return f"{counted.number}{by}", tuple(counted.findings)
    if question == "fewest":
        comparison = judge_fewest(puzzle, runs, Limits(None))
        verdict, presses = comparison.verdict, comparison.presses
        by = f", {verdict.evidence} by {', '.join(verdict.by)}" if verdict.evidence else ""
        assert presses is not None
        assert presses.proved == verdict.complete == (verdict.status != "undecided")
        return f"{verdict.status}{by}, {presses.best} at least {presses.bound}", tuple(comparison.findings)
    comparison = judge(puzzle, runs, Limits(), **more)
    verdict = comparison.verdict
    number = str(verdict.solutions) if verdict.complete else f"{verdict.at_least} or more"
    by = f", {verdict.evidence} by {', '.join(verdict.by)}" if verdict.evidence else ""
    by += " with a certificate" * (verdict.certificate is not None and verdict.evidence != "certified")
    assert (verdict.solutions is not None) == verdict.complete
    return f"{verdict.status} {number}{by}", tuple(comparison.findings)


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.partition("\n")[0])
def test_verdict(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, given, *expected = case.strip().split("\n")
    head, _, rest = given.partition(": ")
    *words, text = head.split()
    if nullity := [int(word[8:]) for word in words if word.startswith("nullity=")]:
        plant_nullity(monkeypatch, nullity[0])
    question = words[0] if words and words[0] in ("count", "fewest") else ""
    entries = [entry.strip() for entry in rest.split(";")]
    made = [certified(entry) for entry in entries if entry.startswith("certified")]
    runs = [run_of(entry) for entry in entries if not entry.startswith("certified")]
    refused = {entry.split()[0] for entry in entries if "refused" in entry.split()}
    more = {} if question else {"certified": made[0] if made else None, "refused": refused}
    verdict, findings = verdict_of(question, load(text), runs, **more)
    shown = [f"{f.backend}: {f.problem}{f' {f.witness}' if f.witness else ''}" for f in findings]
    assert [verdict, *shown] == expected
