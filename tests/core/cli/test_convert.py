"""``crosslit convert``: from format to format, whole or not at all."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from pathlib import Path

import pytest

from crosslit import load
from crosslit.formats import read_all, write_all
from tests.conftest import Command, random_nonogram
from tests.sessions import play, sessions


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A file of two nonograms."""
    path = tmp_path / "pack.sgt"
    path.write_bytes(b"".join(write_all([random_nonogram(random.Random(seed), 25, 25) for seed in (1, 2)], "sgt")))
    return path


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
$ crosslit compare pack.sgt --backends brute
pack:1: nonogram, 1 x 1...pack:2: nonogram, 1 x 2...
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
## a puzzle that cannot be written leaves no file, and an old one as it was
$ printf 'old' > old.non
$ printf '1x1:1/1\n2x1:1//1\n' > pack.sgt
$ crosslit convert 10/01 out.nin
! crosslit: cannot be written: the format nin holds nonograms, not a lights-out puzzle
? 2
$ crosslit convert pack.sgt out.nin
! crosslit: cannot be written: the format nin holds one puzzle per file, and there are several: name one as FILE:7
? 2
$ crosslit convert pack.sgt:3 out.nin
! crosslit: pack.sgt:3: expected the place of a puzzle, from 1 to 2
? 2
$ crosslit convert '1|1' out.pbm
! crosslit: cannot be written: the format picture is read-only
? 2
$ crosslit convert '1|1' out
! crosslit: out: expected --to with one of ...
? 2
$ crosslit convert '1|1' -
! crosslit: -: expected --to with one of ...
? 2
$ crosslit convert '1|1' - --to svg
! crosslit: format 'svg': expected one of ...
? 2
$ crosslit convert '1|1' out/x.nin
! crosslit: out/x.nin: No such file or directory
? 2
$ printf '1x1:1/1\n1x1:x/1\n' > pack.sgt
$ crosslit convert pack.sgt old.non
! ...
? 2
$ cat old.non
old
$ ls
old.non
pack.sgt
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


def test_puzzles_stay_the_same_through_every_format(crosslit: Command, pack: Path, tmp_path: Path) -> None:
    path, names = pack, ["non", "xml", "taai", "puzzles", "sgt"]
    for name in names:
        path, before = tmp_path / f"next.{name}", path
        assert crosslit("convert", str(before), str(path)).returncode == 0
    assert list(read_all(path)) == list(read_all(pack))
    for number, extension in itertools.product((1, 2), ("nin", "mk", "cwd", "clues")):
        goal = tmp_path / f"one.{extension}"
        assert crosslit("convert", f"{pack}:{number}", str(goal)).returncode == 0
        assert load(goal) == load(f"{pack}:{number}")


def test_a_pipe_by_its_path_is_written_to() -> None:
    command = [sys.executable, "-m", "crosslit", "convert", "1|1", "/dev/stdout", "--to", "sgt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout.splitlines()[0], done.returncode, done.stderr) == ("1x1:1/1", 0, "")
