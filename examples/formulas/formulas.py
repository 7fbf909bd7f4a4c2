"""Formulas in conjunctive normal form as a kind of puzzle, with encodings for SAT solvers and CP-SAT."""

from dataclasses import dataclass, replace

from crosslit import InputError
from crosslit.contract import Encoding
from crosslit.contract.family import Population, RandomFamily, between, pick, shuffled
from crosslit.kinds import Puzzle


@dataclass(frozen=True, slots=True)
class Formula(Puzzle):
    """Clauses over the variables from 1 on. A solution is a row of cells, one for each variable."""

    variables: int
    clauses: tuple[tuple[int, ...], ...]
    name: str = ""
    kind, label, plural, rows = "formula", "formula", "formulas", 1
    columns = property(lambda self: self.variables)
    constraints_shape = property(lambda self: (1, max(1, len(self.clauses))))
    measure = property(lambda self: (self.variables, len(self.clauses), len(self.text)))

    @property
    def text(self):
        lines = (" ".join(map(str, [*clause, 0])) for clause in self.clauses)
        return "/".join([f"formula:p cnf {self.variables} {len(self.clauses)}", *lines])

    @classmethod
    def parse(cls, text, origin="text"):
        return read_dimacs(text.removeprefix("formula:").replace("/", "\n"), origin)

    @classmethod
    def samples(cls):
        return [cls.parse(f"p cnf {text}") for text in ("1 2/1 0/-1 0", "2 2/1 0/-1 2 0", "3 2/1 2 0/-1 3 0")]

    @classmethod
    def population(cls):
        return Population([], [RandomFamily("random formulas", random_formula)])

    def smaller(self, _solution, _square):
        """Yield it without a variable and the clauses that have it, and without a clause."""
        for gone in range(1, self.variables + 1 if self.variables > 1 else 1):
            kept = [clause for clause in self.clauses if gone not in map(abs, clause)]
            moved = [tuple(x - (x > gone) + (x < -gone) for x in clause) for clause in kept]
            yield Formula(self.variables - 1, tuple(moved))
        for number in range(len(self.clauses)):
            yield replace(self, clauses=self.clauses[:number] + self.clauses[number + 1 :])

    def violations(self, grid):
        if (grid.rows, grid.columns) != (1, self.columns):
            raise ValueError(f"expected a grid of 1 x {self.columns}")
        true = {x if value == "1" else -x for x, value in enumerate(grid.text, 1)}
        for number, clause in enumerate(self.clauses):
            if true.isdisjoint(clause):
                yield f"{self.constraint_words(number)} is not satisfied"

    def constraint_words(self, number):
        return f"clause {number + 1}: {' '.join(map(str, self.clauses[number]))}" if self.clauses else "no clause"


def read_dimacs(text, origin):
    """Read a formula in DIMACS; a clause may have several lines."""
    variables, clauses, clause = 0, [], []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            if words[:2] == ["p", "cnf"]:
                variables = int(words[2])
            elif words[:1] != ["c"]:
                for literal in map(int, words):
                    if literal:
                        clause.append(literal)
                    else:
                        clauses.append(tuple(clause))
                        clause = []
        except (ValueError, IndexError):
            raise InputError(origin, f"expected a line of DIMACS, found {line!r:.40}", number) from None
    if variables < 1 or clause:
        raise InputError(origin, "expected the line p cnf VARIABLES CLAUSES, and 0 after every clause")
    if max((abs(literal) for clause in clauses for literal in clause), default=1) > variables:
        raise InputError(origin, f"expected variables from 1 to {variables}")
    return Formula(variables, tuple(clauses))


def encode_clauses(puzzle):
    """Return the clauses themselves."""
    from crosslit_encoders.formula import Formula as Encoded  # here, because it imports numpy, which few commands need

    if () in puzzle.clauses:  # an encoding has no empty clause, so here is a contradiction
        empty = puzzle.clauses.index(())
        return Encoded.of(1, puzzle.variables, [[1], [-1]], [empty, empty])
    return Encoded.of(1, puzzle.variables, puzzle.clauses, range(len(puzzle.clauses)))


def encode_cp_sat(puzzle):
    """Model each clause as a disjunction."""
    from crosslit_encoders.cp_model import CpFormula
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    cells = [model.new_bool_var("") for _ in range(puzzle.variables)]
    for clause in puzzle.clauses:
        model.add_bool_or([cells[x - 1] if x > 0 else ~cells[-x - 1] for x in clause])
    return CpFormula(1, puzzle.variables, model, cells)


def random_formula(chance):
    """Return up to two random clauses for each variable, of one to three literals."""
    rng, (_, columns) = chance.rng, chance.shape()
    clauses = [
        tuple(pick(rng, (-1, 1)) * x for x in shuffled(rng, range(1, columns + 1))[: between(rng, 1, 3)])
        for _ in range(between(rng, 1, 2 * columns))
    ]
    return Formula(columns, tuple(clauses)) if chance.allows(1, columns) else None


ENCODINGS = [
    Encoding("clauses", "formula", "cnf", encode_clauses, frozenset({"formula-clauses"}), "its clauses", default=True),
    Encoding("or", "formula", "cp-sat", encode_cp_sat, frozenset({"formula-or"}), "disjunctions", default=True),
]
