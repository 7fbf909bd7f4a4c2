"""Engines that are commands: a model is written into a file in one of the forms, and the answer is read strictly.

A form that cannot say something, such as an objective in CNF, does not have it among the kinds that it accepts, so no
model has it. An answer in an unknown format is ``unreadable`` and accuses nobody.
"""

from __future__ import annotations

import functools
import math
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from crosslit_backends.commands.child_processes import exit_words, file_version
from crosslit_backends.programs.plain import last_words
from crosslit_encoders.finite_domain import AllowedRows, Linear, Model, Parity, Regular
from crosslit_encoders.finite_domain import Constraint as FiniteConstraint
from crosslit_encoders.forms import lp, smt2
from crosslit_encoders.forms.reading import Reading, assigned, exact_number
from crosslit_encoders.formula import clause_line, header_line, read_answer

from crosslit.base.errors import GaveUp, InputError
from crosslit.contract.registered import find_form
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.model import Constraint, Number, VariantModel
from crosslit_verify.variants.relations import RELATIONS, relations_of, statements
from crosslit_verify.variants.scripted import ScriptedEngine, head

_MIP = ("lp", "mps")  # have the same readers, whose solvers use floating-point numbers and leave out zeros
_CP = frozenset({"linear", "int", "table", "regular", "objective"})
_ACCEPTS = {
    **dict.fromkeys(_MIP, frozenset({"linear", "int", "real", "objective", "dense"})),
    "smt2": frozenset({"linear", "clause", "xor", "int", "real", "steps"}),
    "cnf": frozenset({"clause"}),
    "opb": frozenset({"linear", "objective"}),
    "mzn": _CP | {"nfa"} | relations_of("minizinc"),
    "fzn": _CP | {"nfa"},
    "xcsp3": _CP,
    "asp": frozenset({"linear", "xor"}),
}
"""The forms, with the kinds of constraints and variables that each can say, as in `ScriptedEngine.accepts`."""
_EXTENSIONS = {"asp": "lp", "xcsp3": "xml"}  # of files; the others are named after their form
_OPTIMUM = {
    # lp_solve says before its values if they are no optimum
    **dict.fromkeys(_MIP, r"(?i)(?<!non-)(?<!sub-)\boptimal\b|\A\s*Value of objective function:"),
    **dict.fromkeys(("mzn", "fzn"), r"(?m)^={10}$"),
}
"""The claim of an optimum, a line of competitions in the other forms; a point without it may be any solution."""
_OBJECTIVE = dict.fromkeys(
    _MIP,
    r"(?im)^(?:optimal.* - objective value|objective value:|objective|objective: +obj =|value of objective function:)"
    r" +([-+.\de]+)(?: \(MINimum\))?$",
)
"""The value of the objective, which competitions print in lines that begin with ``o``; the last one counts."""


@dataclass(frozen=True, kw_only=True)
class FileEngine(ScriptedEngine):
    """A command whose words contain ``{lp}`` or another form, and perhaps ``{out}`` for the file of its answer."""

    words: tuple[str, ...]
    form: str

    @classmethod
    def of(cls, name: str, words: Sequence[str]) -> FileEngine:
        """Return the engine of a command; one without a form in it reads CNF from standard input."""
        form = next((form for form in _ACCEPTS if any(f"{{{form}}}" in word for word in words)), "cnf")
        suffix = _EXTENSIONS.get(form, form)
        return cls(
            package=name,
            accepts=_ACCEPTS[form],
            start="",
            add={},
            solve="",
            tolerance=ENGINES["highs" if form in _MIP else "clingo"].tolerance,
            export=("open(path, 'w').write(model)", suffix),
            words=tuple(words),
            form=form,
        )

    @property
    def identity(self) -> str:
        """A script that leaves the name and version of the command."""
        path = shutil.which(self.words[0])
        if path is None:
            raise InputError(self.package, f"no such command: {self.words[0]}")
        return f"answers = [{file_version(path)!r}]"

    def source(self, model: VariantModel) -> str:
        """Return a script that writes the model into a file, runs the command, and keeps what it writes."""
        suffix, is_read = self.export[1], any(f"{{{self.form}}}" in word for word in self.words)
        return "\n".join(
            [
                *head(model),
                "# x0 in messages is x1 in the file",
                "import subprocess, tempfile",
                "from pathlib import Path",
                f"model = r'''{self._text(model)}'''",
                "with tempfile.TemporaryDirectory() as folder:",
                f"    file, out = Path(folder, 'model.{suffix}'), Path(folder, 'answer.sol')",
                "    file.write_text(model)",
                f"    places = {{{f'{{{self.form}}}'!r}: str(file), '{{out}}': str(out)}}",
                f"    words = {[*self.words]}",
                "    for place, name in places.items(): words = [word.replace(place, name) for word in words]",
                f"    stdin = {'subprocess.DEVNULL' if is_read else 'file.open()'}",
                "    run = subprocess.run(words, stdin=stdin, capture_output=True, text=True, errors='replace')",
                "    written = out.read_text(errors='replace') if out.exists() else ''",
                f"answers = [[written or run.stdout, run.stderr[-300:], run.returncode]] * {len(model.steps)}",
            ]
        )

    def _text(self, model: VariantModel) -> str:
        if self.form == "cnf":
            clauses = [item.data for item in model.constraints]
            return b"".join([header_line(len(model.variables), len(clauses)), *map(clause_line, clauses)]).decode()
        related = [item for item in model.constraints if item.kind in RELATIONS]
        others = [item for item in model.constraints if item.kind not in RELATIONS]
        own = _finite(model, others, has_decimals=self.form in _MIP)
        lines = _smt2(model) if self.form == "smt2" else find_form(self.form).write(own)
        try:
            return "".join(f"{line}\n" for line in (*lines, *_relations(model, related)))
        except GaveUp as error:  # of MiniZinc, which writes FlatZinc
            raise InputError(self.package, str(error)) from None

    def answers(self, model: VariantModel, raw: list[Any] | str) -> list[Any] | str:
        """Return the answers in what the command wrote; ``unreadable`` if they are not in the form."""
        if isinstance(raw, str):
            return raw
        output, errors, code = raw[0]
        if code < 0:
            return f"crash: {exit_words(code)}"
        lines = output.splitlines()
        try:
            pieces = _pieces(lines) if self.form == "smt2" else [lines]
            found = [self._answer(model, piece) for piece in pieces[: len(model.steps)]]
        except ValueError as error:
            return f"unreadable: {error}, exit status {code}{last_words(errors.encode())}"
        return found + [("UNKNOWN", [], None, 0)] * (len(model.steps) - len(found))

    def _answer(self, model: VariantModel, lines: list[str]) -> tuple[str, list[Number], Number | None, int]:
        """Return the answer of one step; raise ValueError if it is not in the form."""
        status, found = _reader(self.form)(lines)
        if status is None:
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            raise ValueError(f"no status in its output{last and f', which ends with {last[:200]!r}'}")
        text = "\n".join(lines)
        if found and status == "unsatisfiable":
            raise ValueError("it says unsatisfiable and gives a model")
        if status != "satisfiable":
            return status.upper(), [], None, 0
        if found is None:
            raise ValueError("it says satisfiable and gives no model")
        values = self._completed(model, found)
        is_claimed = not model.objective or re.search(_OPTIMUM.get(self.form, "OPTIMUM FOUND"), text)
        objectives = re.findall(_OBJECTIVE.get(self.form, r"(?m)^o +(\S+)$"), text)
        objective = exact_number(objectives[-1]) if objectives else None
        return ("SATISFIABLE" if is_claimed else "UNKNOWN"), values, objective, 0

    def _completed(self, model: VariantModel, found: dict[int, Number]) -> list[Number]:
        """Return the values of all variables; solvers leave out zeros in LP and ASP, elsewhere what no row has."""
        used = {index for item in model.all_constraints() for index in item.variables} | {*dict(model.objective)}
        omits_zeros = self.form != "cnf" and find_form(self.form).OMITS_ZEROS
        free = range(len(model.variables)) if omits_zeros else {*range(len(model.variables))} - used
        values = {index: 0 if omits_zeros else model.variables[index].low for index in free} | found
        if wrong := sorted(values.keys() ^ {*range(len(model.variables))}):
            raise ValueError(f"{'it lacks' if wrong[0] < len(model.variables) else 'it has'} x{wrong[0] + 1}")
        return [values[index] for index in range(len(model.variables))]


def _relations(model: VariantModel, items: Sequence[Constraint]) -> Iterator[str]:
    """Yield relations in MiniZinc, over an array of the variables that counts from 0."""
    if items:
        places = f"0..{len(model.variables) - 1}"
        names = ", ".join(f"x{index + 1}" for index in range(len(model.variables)))
        yield f"array[{places}] of var int: x0 = array1d({places}, [{names}]);"
        yield from statements("minizinc", items)


def _reader(form: str) -> Callable[[list[str]], Reading]:
    if form == "cnf":
        return _read_cnf
    if form in (*_MIP, "smt2"):  # which have reals
        return functools.partial(smt2.read if form == "smt2" else lp.read, number=exact_number)
    reader: Callable[[list[str]], Reading] = find_form(form).read
    return reader


def _read_cnf(lines: list[str]) -> Reading:
    answer = read_answer(lines)
    literals = answer.literals
    pairs = None if literals is None else assigned((abs(literal) - 1, int(literal > 0)) for literal in literals)
    return answer.status, pairs


def _finite(model: VariantModel, constraints: Iterable[Constraint], has_decimals: bool = False) -> Model:
    """Return a model of the encoders with some of the constraints; without a grid, so it has no cells."""
    own = Model(
        0,
        0,
        domains=[(variable.low, variable.high) for variable in model.variables] or [(0, 0)],
        objective=[(factor, index) for index, factor in model.objective],
        reals=frozenset(index for index, variable in enumerate(model.variables) if variable.kind == "real"),
    )
    for item in constraints:
        own.add(_constraint(item, has_decimals))
    if not own.constraints:  # the writers' own tautology says that the first variable is not negative
        own.add(Linear(((1, 0),), math.floor(own.domains[0][0])))
    return own


def _constraint(item: Constraint, has_decimals: bool = False) -> FiniteConstraint:
    if item.kind == "linear":
        terms, sense, bound = (item if has_decimals else item.scaled()).data
        low, high = None if sense == "le" else _plain(bound), None if sense == "ge" else _plain(bound)
        return Linear(tuple((_plain(factor), index) for index, factor in terms), low, high)
    if item.kind == "clause":
        terms = tuple((1 if literal > 0 else -1, abs(literal) - 1) for literal in item.data)
        return Linear(terms, 1 - sum(literal < 0 for literal in item.data))
    if item.kind == "xor":
        return Parity(*item.data)
    if item.kind == "table":
        return AllowedRows(*item.data)
    cells, moves, finals = item.data
    return Regular(cells, 0, finals, moves)


def _plain(number: Number) -> Number:
    """Return a number that is written without a fraction."""
    return int(number) if number == int(number) else float(number)


def _smt2(model: VariantModel) -> Iterator[str]:
    """Yield a script that solves each step, with its assumptions."""
    own = _finite(model, model.constraints)
    yield from islice(smt2.write(_finite(model, model.all_constraints())), 2)  # the logic of all steps
    yield from smt2.declarations(own)
    yield from (line for item in own.constraints for line in smt2.assertions(own, item))
    for step in model.steps:
        yield from (line for item in map(_constraint, step.added) for line in smt2.assertions(own, item))
        assumed = " ".join(smt2.literal(1 if value else -1, index) for index, value in step.fixed)
        yield f"(check-sat-assuming ({assumed}))" if assumed else "(check-sat)"
        yield f"(get-value ({' '.join(f'x{index + 1}' for index in range(len(model.variables)))}))"


def _pieces(lines: list[str]) -> list[list[str]]:
    """Return the output of each check of an SMT-LIB solver."""
    starts = [number for number, line in enumerate(lines) if line.strip() in ("sat", "unsat", "unknown")]
    return [lines[start:end] for start, end in pairwise([*(starts or [0]), len(lines)])]
