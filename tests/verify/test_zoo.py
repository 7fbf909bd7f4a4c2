"""Every planted bug is caught within its budget, in its group; correct solvers pass."""

from __future__ import annotations

import pytest

from tests.verify.zoo import BROKEN, RIGHT, Member

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("member", BROKEN, ids=lambda member: member.name)
def test_it_is_caught(member: Member) -> None:
    found = member.verify()
    assert not found.passed, found.summary()
    failure = found.failures[0]
    assert failure.problem.group in member.groups.split(), found.render()
    assert failure.case <= member.within
    assert failure.puzzle.measure <= failure.original.measure


@pytest.mark.parametrize("member", RIGHT, ids=lambda member: member.name)
def test_it_passes(member: Member) -> None:
    found = member.verify()
    assert found.passed, found.render()
    assert found.coverage.judged == found.coverage.cases > 0.8 * member.within
