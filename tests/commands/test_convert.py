"""``crosslit convert``: from format to format, whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import Command
from tests.stored.sessions import play, sessions


@sessions(
    r"""
## puzzles are read from a file or a pipe and written to another
$ printf '1x1:1/1\n2x1:1//1\n' > pack.sgt
$ crosslit convert pack.sgt out.non
out.non: 2 puzzles, non
$ crosslit convert pack.sgt:2 out.non
out.non: 1 puzzle, non
$ printf '1x1:1/1\n2x1:1//1\n' | crosslit convert - - --to lines
1|1
1|1,0
$ crosslit convert '1|1' out.pbm
! crosslit: cannot be written: the format picture is read-only
? 2
$ printf '10/01\n1|1 # One\n# a remark\n' > pack.puzzles
$ crosslit compare pack.puzzles:2 --backends brute
One: nonogram, 1 x 1
...
## a grid is a picture if that is said
$ printf '101\n000\n' > grid.txt
$ crosslit convert grid.txt - --from picture --to sgt
3x2:1//1/1.1/
$ crosslit convert grid.txt - --to lines
101/000 # grid
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


def test_a_pipe_by_its_path_is_written_to() -> None:
    command = [sys.executable, "-m", "crosslit", "convert", "1|1", "/dev/stdout", "--to", "sgt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout.splitlines()[0], done.returncode, done.stderr) == ("1x1:1/1", 0, "")
