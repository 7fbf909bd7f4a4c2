"""Backends with one fault each, which the cross-check or the limits must catch.

They are registered like those of any other distribution; tests put this folder on the path.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import crosslit
from crosslit.base.grid import Grid
from crosslit.contract import Backend, Certificate, GaveUp, answer_layout
from crosslit.runs.server import MAX_EDGE


class Planted(Backend):
    """A backend that applies a function of (puzzle, task, solutions) to the true solutions."""

    kinds = frozenset({"lights-out", "nonogram"})
    groups = frozenset({"planted"})
    trusted_base = frozenset({"planted"})
    preload = ("crosslit.api",)  # otherwise every run would import it again

    def __init__(self, name: str, behave: Callable[..., Iterator[Grid]]) -> None:
        self.name = name
        self.summary = behave.__doc__
        self._behave = behave

    def version(self) -> str:
        return "1"

    def solutions(self, puzzle, task):
        native = "line" if isinstance(puzzle, crosslit.Nonogram) else None  # one that loads no engine in a run
        yield from self._behave(puzzle, task, crosslit.solutions(puzzle, native))


def wrong_grid(puzzle, task, solutions):
    """One cell of the first solution flipped."""
    first = next(solutions)
    yield Grid.from_bits(first.rows, first.columns, first.bits ^ 1)
    yield from solutions


def drops_last(puzzle, task, solutions):
    """All solutions but the last."""
    yield from list(solutions)[:-1]


def repeats(puzzle, task, solutions):
    """The first solution once more at the end."""
    first = next(solutions)
    yield first
    yield from solutions
    yield first


def lies_unsolvable(puzzle, task, solutions):
    """None at all."""
    return
    yield


def native_hang(puzzle, task, solutions):
    """One solution, then a call that holds the interpreter's lock and never returns."""
    yield next(solutions)
    # a compiled pattern match that backtracks exponentially: not one byte code is executed meanwhile
    import re

    re.match(r"(a|a)*$", "a" * 100 + "b")


def deaf_hang(puzzle, task, solutions):
    """Blocks every signal that can be blocked, and sleeps."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)
    yield


def fills_an_orphan(puzzle, task, solutions):
    """Takes memory in a process that has left its session and whose parent is gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            kept = b"x" * (500 << 20)
            time.sleep(len(kept))
        os._exit(0)
    time.sleep(1000)
    yield


def crashes(puzzle, task, solutions):
    """One solution, then a segmentation fault."""
    yield next(solutions)
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves(puzzle, task, solutions):
    """One solution, then the process ends as if all were well."""
    yield next(solutions)
    os._exit(0)


def raises(puzzle, task, solutions):
    """One solution, then an exception."""
    yield next(solutions)
    raise KeyError("no such clue")


def yields_rubbish(puzzle, task, solutions):
    """Yields an object that is not a grid."""
    yield "0101"


def prints_rubbish(puzzle, task, solutions):
    """All solutions, and words on standard output."""
    print("c a comment of the engine")
    sys.stdout.flush()
    yield from solutions


def floods_descriptors(puzzle, task, solutions):
    """Rubbish on every descriptor it can find, the pipe of the run among them."""
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\xff" * 64)
    yield from solutions


def hides_time(puzzle, task, solutions):
    """Computes while it has stopped the clock: more than a busy machine may take to start and end a run, and report."""
    task.clock.pause()
    end = time.process_time() + 2 * MAX_EDGE + 0.5 + 2 * sum(task.clock.seconds.values())
    while time.process_time() < end:
        pass
    task.clock.resume()
    yield from solutions


def killed(puzzle, task, solutions):
    """Its process is killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return solutions


def is_slow(puzzle, task, solutions):
    """All solutions, after a second."""
    time.sleep(1)
    return solutions


def helped_for_a_moment(puzzle, task, solutions):
    """All solutions, and a process that ends soon after it."""
    subprocess.Popen(["sleep", "0.2"], start_new_session=True)
    return solutions


def daemon_seen(puzzle, task, solutions):
    """All solutions, and a process that has left the run's session some time before the end."""
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True).pid
    task.stats["child"] = child
    Path(os.environ["CROSSLIT_TEST_ONCE"]).write_text(str(child), encoding="utf-8")
    time.sleep(0.3)
    return solutions


def outlasts_the_daemon(puzzle, task, solutions):
    """All solutions, after the process that `daemon_seen` left behind has ended."""
    note = Path(os.environ["CROSSLIT_TEST_ONCE"])
    while not (note.exists() and (child := note.read_text(encoding="utf-8"))) or Path(f"/proc/{child}").exists():
        time.sleep(0.01)
    return solutions


def frees_memory(puzzle, task, solutions):
    """Uses 200 MB in a separate process for a while, and none of it at the end."""
    taken = "import sys; kept = b'x' * (200 << 20); print(flush=True); sys.stdin.read(); import os; os._exit(0)"
    child = subprocess.Popen(
        [sys.executable, "-c", taken], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    own = b"x" * (100 << 20)
    child.stdout.readline()
    time.sleep(0.5)  # both have their memory, and are measured
    child.stdin.close()
    del own
    child.wait()
    return solutions


def invents_time(puzzle, task, solutions):
    """Reports half a second that has not passed."""
    task.clock.seconds["solve"] += 0.5
    yield from solutions


def gives_up(puzzle, task, solutions):
    """One solution, then no claim."""
    yield next(solutions)
    raise GaveUp("the budget is spent")


def kills_its_server(puzzle, task, solutions):
    """Leaves an orphaned process after killing its server."""
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)
    yield


def kills_its_watcher(puzzle, task, solutions):
    """Leaves an orphaned process after killing its server and the watcher."""
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    os.kill(
        int(Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]),
        signal.SIGKILL,
    )
    time.sleep(1000)
    yield


def tells_strange_stats(puzzle, task, solutions):
    """Numbers that JSON cannot hold."""
    task.stats.update({"many": 10**5000, "endless": float("inf"), (1, 2): [3]})
    yield from solutions


def cannot_import(puzzle, task, solutions):
    """An engine whose package is there and does not import."""
    raise ImportError("libengine.so is missing")
    yield


def prints_without_end(puzzle, task, solutions):
    """Fills its standard output."""
    block = b"c" * (1 << 20)
    while True:
        os.write(1, block)
    yield


def functions(module, *parameters):
    """The functions of a module with these parameters, by name."""
    codes = ((name, found.__code__) for name, found in module.items() if isinstance(found, FunctionType))
    return {
        name.replace("_", "-"): module[name]
        for name, code in codes
        if code.co_varnames[: code.co_argcount] == parameters and not name.startswith("_")
    }


BACKENDS = [Planted(*named) for named in functions(globals(), "puzzle", "task", "solutions").items()]


class Liar(Planted):
    """Too sure: all constraints are needed for a contradiction."""

    def mus(self, puzzle, task):
        rows, columns, *_ = answer_layout("mus", puzzle)
        yield Grid.from_bits(rows, columns, (1 << rows * columns) - 1)


def honest(puzzle, task, solutions):
    """All solutions."""
    return solutions


class Certifier(Planted):
    """A correct backend whose certificates a function of (puzzle, solutions) makes."""

    def __init__(self, name, certify):
        super().__init__(name, honest)
        self.summary = certify.__doc__
        self.trusted_base = frozenset({name})
        self._certify = certify

    def certify(self, puzzle, task, solutions):
        return self._certify(puzzle, solutions)


def certifies_a_lie(puzzle, solutions):
    """A certificate of the right form for a claim that is false."""
    return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, {"rows": "13", "columns": "12"})


def certifies_another(puzzle, solutions):
    """A good certificate of another puzzle."""
    other = crosslit.Nonogram([[1], [1]], [[1], []])
    return Certificate("nonogram-sums", other.id, "unsolvable", 0, {"rows": "2", "columns": "1"})


def certifies_rubbish(puzzle, solutions):
    """Text instead of a certificate."""
    return "unsolvable, I swear"


def certifies_strangely(puzzle, solutions):
    """A certificate that nobody can read."""
    return Certificate("nonogram-sums", puzzle.id, "perhaps", -1, {"rows": 1.5})


def certifies_endlessly(puzzle, solutions):
    """A certificate that cannot be written."""
    body = {}
    body["body"] = body
    return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, body)


def certifies_no_more(puzzle, solutions):
    """Gives up."""
    raise GaveUp("there is no time for evidence")


def crashes_certifying(puzzle, solutions):
    """A segmentation fault."""
    os.kill(os.getpid(), signal.SIGSEGV)


def raises_certifying(puzzle, solutions):
    """An exception."""
    raise KeyError("no evidence")


def hangs_certifying(puzzle, solutions):
    """Never ends, and ignores signals."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


def floods_certifying(puzzle, solutions):
    """Rubbish on every descriptor it can find, the pipe of the run among them."""
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\xff" * 64)
    return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, {"rows": "2", "columns": "1"})


BACKENDS += [Certifier(*named) for named in functions(globals(), "puzzle", "solutions").items()]


class PlantedBatches(Planted):
    """A backend that hands true solutions over many at a time, as a function of their list has it."""

    def __init__(self, name, change):
        super().__init__(name, honest)
        self._change = change

    def batches(self, puzzle, task):
        solutions = sorted(crosslit.solutions(puzzle), key=lambda grid: grid.text)
        yield b"".join(grid.packed for grid in self._change(solutions))


BACKENDS += [
    PlantedBatches("batches-drop", lambda solutions: solutions[:5] + solutions[6:]),
    PlantedBatches("batches-repeat", lambda solutions: solutions[:5] + solutions[4:]),
    PlantedBatches("batches-swap", lambda solutions: [*solutions[:3], solutions[4], solutions[3], *solutions[5:]]),
    PlantedBatches("batches-lie", lambda solutions: [*solutions[:9], Grid.from_bits(4, 4, 1), *solutions[9:]]),
]


BACKENDS.append(Liar("liar", drops_last))
