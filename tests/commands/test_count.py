"""``count``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Command
from tests.stored.sessions import play, sessions


@sessions(
    r"""
## a count that is given up is undecided
$ crosslit count '1,1,1,1,1,1|1,1,1,1,1,1' --backend frontier:states=10
undecided
! crosslit: frontier:states=10: more than 10 states after 7 of 36 cells of a part; a higher limit allows more
? 3
## a number without the certificate that was wanted is undecided
$ crosslit count '1,1,1,1,1,1,1,1|1,1,1,1,1,1,1,1' --certificate proof
40320
! crosslit: proof not written: a certificate knows at most 10,000 solutions, not 40,320
? 3
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


def test_a_number_beyond_the_digits_that_are_printed_is_a_power(crosslit: Command) -> None:
    far = ",".join(["1000000"] + ["0000000"] * 6)  # a press toggles a cell that is three rows above: none of three
    board = "/".join([f"press={far}", *["0" * 5000] * 3])
    assert crosslit("count", board).stdout == "2^15000\n"
    assert json.loads(crosslit("count", "--json", board).stdout)["count"] == {"log2": 15000}
