"""CP-SAT of OR-Tools."""

from __future__ import annotations

import atexit
import math
import queue
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.base.grid import Grid
from crosslit.contract import NO_PRESSES, PARAMETER, Backend, GaveUp, Option, Task
from crosslit.kinds import Puzzle
from crosslit_backends.base import Engine

if TYPE_CHECKING:
    from crosslit_encoders.cp_model import CpFormula


class CpSat(Engine):
    """CP-SAT: lazy clause generation over Boolean and integer variables.

    It enumerates with one worker, whatever the options say: with more, version 9.15 loses solutions and still claims
    that it found all of them.
    """

    name = "cpsat"
    summary = "CP-SAT of OR-Tools; enumerates with one worker"
    package = "ortools"
    install = "ortools"
    targets = frozenset({"cp-sat"})
    groups = frozenset({"cpsat", "default"})
    trusted_base = frozenset({"cp-sat"})
    options: ClassVar[Mapping[str, Option]] = {
        "workers": Option("threads if only one solution is requested; default 1", 1, 256),
        "seed": Option("random seed; default 0", 0, 2**31 - 1),
        PARAMETER: Option("a parameter of CP-SAT, as in param.linearization_level=0", is_text=True),
    }
    preload = ("crosslit_backends.engines.ortools_alone", "crosslit_encoders.cp_model")

    def solutions(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in the order of the search."""
        # For one solution the search may use several workers; it then ends without a claim.
        single = task.max_solutions_hint == 1
        # closed here: Python loses an interrupt that is raised while it collects a generator
        with closing(self._search(task.encode(puzzle), task, threads=single)) as found:
            for grid in found:
                yield grid
                if single:
                    raise GaveUp("only one solution was requested")

    def fewest(self, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions of ever fewer presses: the number of presses is the objective."""
        formula = task.encode(puzzle)
        if formula.extend is not None:
            raise GaveUp(NO_PRESSES)
        weighted = zip(formula.layout.weights, formula.cells, strict=True)
        formula.model.minimize(sum(weight * cell for weight, cell in weighted))
        yield from self._search(formula, task, threads=True)

    def _search(self, formula: CpFormula, task: Task, threads: bool) -> Generator[Grid, None, None]:
        from ortools.sat.python import cp_model

        task.phase("load")
        task.stats["constraints"] = len(formula.model.proto.constraints)
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.random_seed = task.options.get("seed", 0)
        for name, value in task.parameters.items():
            try:
                kind = type(getattr(parameters, name))
                setattr(parameters, name, {"true": True, "false": False}[value] if kind is bool else kind(value))
            except AttributeError:
                raise GaveUp(f"CP-SAT has no parameter {name}") from None
            except (KeyError, TypeError, ValueError):
                raise GaveUp(f"CP-SAT's parameter {name} cannot be {value}") from None
        # The claims rest on these, so they come after the user's. With a gap, a worse solution is called optimal.
        parameters.num_workers = task.threads = task.options.get("workers", 1) if threads else 1
        parameters.enumerate_all_solutions = parameters.keep_all_feasible_solutions_in_presolve = not threads
        parameters.relative_gap_limit = parameters.absolute_gap_limit = 0
        parameters.catch_sigint_signal = False  # its handler is bound to a thread, and would end this process
        search = _Search(cp_model, solver, formula, task.improve_bound)
        task.phase("solve")
        try:
            search.start()
            while (values := search.next()) is not None:
                task.phase("decode")
                yield formula.grid(values)
                task.phase("solve")
        finally:
            search.stop()
            if search.status is not None:
                task.stats.update(workers=task.threads, conflicts=solver.num_conflicts, branches=solver.num_branches)
        status = solver.status_name(search.status)
        if status == "OPTIMAL" and formula.model.has_objective():
            task.improve_bound(round(solver.objective_value))
        if status not in ("OPTIMAL", "INFEASIBLE"):
            raise GaveUp(f"CP-SAT ended with {status}")


class _Search:
    """A solver in its own thread that pauses at every solution until the next is requested.

    CP-SAT passes solutions to a callback; a generator wants them one at a time. Engine and consumer never run at once.
    The consumer's thread reports bounds of the objective in between.
    """

    def __init__(self, cp_model: Any, solver: Any, formula: CpFormula, on_bound: Callable[[int], None]) -> None:
        self.status: Any = None
        self._on_bound = on_bound
        self._failure: BaseException | None = None
        self._solver = solver
        self._found: queue.SimpleQueue[list[int] | int | None] = queue.SimpleQueue()
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        found, wanted = self._found, self._wanted

        class Hold(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                found.put([int(self.boolean_value(cell)) for cell in formula.cells])
                if not wanted.get():
                    self.stop_search()

        if formula.model.has_objective():
            # Bounds are floating-point: without the tolerance, 5.0000001 would become 6.
            solver.best_bound_callback = lambda bound: found.put(math.ceil(bound - 1e-6))

        self._running = False  # set by the thread itself, because an interrupted `join` may return while it still runs

        def work() -> None:
            self._running = True
            try:
                if wanted.get():
                    self.status = solver.solve(formula.model, Hold())
            except BaseException as error:
                self._failure = error
            finally:
                self._running = False
                found.put(None)

        self._work = work

    def start(self) -> None:
        """Start the thread, which waits until a solution is requested; from now on `stop` must be called."""
        atexit.register(self.stop)  # a search still running would abort the interpreter's exit
        threading.Thread(target=self._work, daemon=True).start()

    def next(self) -> list[int] | None:
        """Return the values of the cells in the next solution; None when the search has ended."""
        self._wanted.put(True)
        while isinstance(values := self._found.get(), int):
            self._on_bound(values)
        if self._failure is not None:
            raise self._failure
        return values

    def stop(self) -> None:
        """Stop the search and defer interrupts until it has stopped: exiting while the engine runs would crash."""
        interrupt: KeyboardInterrupt | None = None
        ended = False
        while not ended:
            try:
                with suppress(queue.Empty):  # a thread that is just starting must find only the request to end
                    while True:
                        self._wanted.get_nowait()
                self._wanted.put(False)
                self._solver.stop_search()  # repeated, because the first call may come before the engine has started
                while self._running and self._found.get(timeout=0.05) is not None:
                    pass
                atexit.unregister(self.stop)
                ended = not self._running
            except queue.Empty:
                continue
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


BACKENDS: list[Backend] = [CpSat()]
