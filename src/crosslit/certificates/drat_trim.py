"""drat-trim, the checker of the SAT competitions, if it is on the PATH."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from crosslit.certificates.rup import Clause, NoRefutation
from crosslit.sandbox.posix import resource

NAME = "drat-trim"
SECONDS = 60.0
MEMORY = 4 << 30  # memory limit in bytes
OUTPUT = 1 << 16  # output limit in bytes


def dimacs(clauses: Sequence[Clause], variables: int, comments: Sequence[str] = ()) -> str:
    """Return a formula in DIMACS.

    Examples:
        >>> dimacs([[1, -2], []], 2, ["two clauses"]).splitlines()
        ['c two clauses', 'p cnf 2 2', '1 -2 0', '0']
    """
    lines = [*(f"c {comment}" for comment in comments), f"p cnf {variables} {len(clauses)}", *map(_line, clauses)]
    return "\n".join(lines) + "\n"


def drat(lemmas: Sequence[Clause]) -> str:
    r"""Return a proof without deletions as DRAT text: one lemma per line, the last one empty.

    Examples:
        >>> drat([[1, -2]])
        '1 -2 0\n0\n'
    """
    # The empty lemma at the end states the contradiction; a proof may leave it out if propagation finds it.
    closed = lemmas if lemmas and not lemmas[-1] else [*lemmas, []]
    return "\n".join(map(_line, closed)) + "\n"


def _line(clause: Clause) -> str:
    return " ".join(map(str, [*clause, 0]))


def check_by_drat_trim(
    clauses: Sequence[Clause], lemmas: Sequence[Clause], variables: int, seconds: float = SECONDS
) -> str:
    """Check with drat-trim that lemmas refute a formula.

    Returns:
        ``verified``, or the reason for no verdict: it is not installed, did not finish, or contradicts itself.

    Raises:
        NoRefutation: if it rejects the proof.
    """
    command = shutil.which(NAME)
    if command is None:
        return "not on the PATH"
    if not all(clauses):
        return "a formula with an empty clause needs no proof"  # drat-trim verifies that, and exits as if it did not
    with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:
        formula, proof, said = (Path(folder) / name for name in ("formula.cnf", "proof.drat", "output"))
        formula.write_text(dimacs(clauses, variables))
        proof.write_text(drat(lemmas))
        # A file instead of a pipe: nobody has to read while it works, and its size can be limited.
        with said.open("wb") as output:
            status = _run([command, str(formula), str(proof)], output.fileno(), seconds)
        with said.open("rb") as output:
            text = output.read(OUTPUT).decode(errors="replace")
    words = {line.strip() for line in text.splitlines()}  # its lines begin with a carriage return
    if isinstance(status, str):
        return status
    # The verdict is this line; the exit status is only compared with it.
    if "s NOT VERIFIED" in words:
        raise NoRefutation("drat-trim does not verify it")
    if "s VERIFIED" not in words:
        return f"it gave no verdict, exit status {status}"
    return "verified" if status == 0 else f"it said that it is verified, exit status {status}"


def _run(command: list[str], output: int, seconds: float) -> int | str:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            # A group of the script and the program that it starts, so that one signal ends both.
            process_group=0,
            preexec_fn=_limit,
        )
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    with process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"no verdict within {seconds:g} s"
        finally:  # the whole group: it may be a script
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _limit() -> None:
    """Limit the resources of the process that becomes drat-trim."""
    # Its output is a few lines; the limit keeps a faulty program from filling the disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    if sys.platform == "linux":  # other systems cannot limit the address space
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
