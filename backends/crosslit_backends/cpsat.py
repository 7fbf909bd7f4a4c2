"""CP-SAT of OR-Tools."""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Generator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.contract import Backend, GaveUp, Option, Task, Unavailable
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle

if TYPE_CHECKING:
    from crosslit_encoders.cp_model import CpFormula


class CpSat:
    """CP-SAT: lazy clause generation over Boolean and integer variables.

    It enumerates with one worker, whatever the option says: with more, version 9.15 loses solutions and still says that
    it found all of them.
    """

    name = "cpsat"
    summary = "CP-SAT of OR-Tools; enumerates with one worker"
    kinds: ClassVar[frozenset[str]] = frozenset({"lights-out", "nonogram"})
    accepts: ClassVar[frozenset[str]] = frozenset({"cp-sat"})
    groups: ClassVar[frozenset[str]] = frozenset({"cpsat", "default"})
    trusts: ClassVar[frozenset[str]] = frozenset({"cp-sat"})
    options: ClassVar[Mapping[str, Option]] = {
        "workers": Option("threads while only one solution is wanted; default 1", 1, 256),
        "seed": Option("random seed; default 0", 0, 2**31 - 1),
        "presolve": Option("0: no presolve; default 1", 0, 1),
    }
    modules: ClassVar[tuple[str, ...]] = ("ortools.sat.python.cp_model",)

    def version(self) -> str:
        """That of ortools."""
        try:
            return f"ortools {version('ortools')}"
        except PackageNotFoundError:
            raise Unavailable("ortools is not installed: pip install ortools") from None

    def refuses(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Nothing: the limits of a run tell."""
        return None

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """All solutions, as the search meets them.

        Raises:
            GaveUp: if the solver ends without having searched everything.
        """
        from ortools.sat.python import cp_model

        formula = task.encode(puzzle)
        task.phase("load")
        task.stats["constraints"] = len(formula.model.proto.constraints)
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.random_seed = task.options.get("seed", 0)
        parameters.cp_model_presolve = bool(task.options.get("presolve", 1))
        parameters.num_workers = task.threads = task.options.get("workers", 1) if task.want == 1 else 1
        parameters.enumerate_all_solutions = task.want != 1
        parameters.catch_sigint_signal = False  # its handler is bound to a thread, and ends the process in this one
        search = _Search(cp_model, solver, formula)
        task.phase("solve")
        try:
            while (values := search.next()) is not None:
                task.phase("decode")
                grid = Grid.from_bits(puzzle.rows, puzzle.columns, int("".join("01"[v] for v in reversed(values)), 2))
                yield grid
                task.phase("solve")
                if task.want == 1:
                    raise GaveUp("it was asked for one solution alone")
        finally:
            search.stop()
            if search.status is not None:
                task.stats.update(workers=task.threads, conflicts=solver.num_conflicts, branches=solver.num_branches)
        status = solver.status_name(search.status)
        if status not in ("OPTIMAL", "INFEASIBLE"):
            raise GaveUp(f"CP-SAT ended with {status}")


class _Search:
    """The solver in a thread of its own, held at every solution until the next is asked for.

    CP-SAT hands solutions to a callback; a generator wants them one at a time. Engine and consumer never run at once.
    """

    def __init__(self, cp_model: Any, solver: Any, formula: CpFormula) -> None:
        self.status: Any = None
        self._failure: BaseException | None = None
        self._solver = solver
        self._found: queue.SimpleQueue[list[int] | None] = queue.SimpleQueue()
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        found, wanted = self._found, self._wanted
        ended = threading.Event()

        class Hold(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                if ended.is_set():  # another worker's solution, after the end was asked for
                    self.stop_search()
                    return
                found.put([int(self.boolean_value(cell)) for cell in formula.cells])
                if not wanted.get():
                    ended.set()
                    self.stop_search()

        def work() -> None:
            try:
                if wanted.get():
                    self.status = solver.solve(formula.model, Hold())
            except BaseException as error:
                self._failure = error
            finally:
                self._over = True
                found.put(None)

        self._over = False  # told by the thread itself: an interrupted `join` may take it for ended
        threading.Thread(target=work, daemon=True).start()
        atexit.register(self.stop)  # a search that nobody finished would abort the interpreter's exit

    def next(self) -> list[int] | None:
        """The values of the cells in the next solution; None when the search has ended."""
        self._wanted.put(True)
        values = self._found.get()
        if self._failure is not None:
            raise self._failure
        return values

    def stop(self) -> None:
        """End the search wherever it is, and only then hear an interrupt: an exit beside the engine would crash."""
        atexit.unregister(self.stop)
        interrupt: KeyboardInterrupt | None = None
        while not self._over:
            try:
                self._wanted.put(False)
                self._solver.stop_search()  # again and again: the first may come before the engine has begun
                with suppress(queue.Empty):
                    self._found.get(timeout=0.05)
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


BACKENDS: list[Backend] = [CpSat()]
