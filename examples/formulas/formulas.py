"""Formulas as a kind of puzzle, from files in DIMACS (clauses, XORs) and OPB (pseudo-Boolean constraints).

A solution has the variables of ``c p show``, or all; of the others, the hidden ones, any values may complete it.
"""

import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from types import SimpleNamespace
from typing import NamedTuple

from crosslit import InputError
from crosslit.contract import Encoding, GaveUp
from crosslit.contract.family import Maker, between, pick, shuffled
from crosslit.kinds import Kind, Puzzle

MAX_CLAUSES = 10_000  # of a sum


class Constraint(NamedTuple):
    """The positive coefficients of the true literals add up to a bound at least; or their number is odd."""

    terms: tuple[tuple[int, int], ...]  # a coefficient and a literal, each variable once
    bound: int | None = 1  # None for an XOR

    @classmethod
    def of(cls, terms, bound):
        """Return the constraint for coefficients of any sign: that of x is, negated, one of its negation."""
        bound -= sum(times for times, _ in terms if times < 0)
        return cls(tuple((abs(times), x if times > 0 else -x) for times, x in terms if times), bound)

    def __str__(self):
        if self.bound is None or (self.bound == 1 and {times for times, _ in self.terms} <= {1}):
            return "x" * (self.bound is None) + " ".join(str(x) for _, x in (*self.terms, (1, 0)))
        return f"{' '.join(f'{times}*{x}' for times, x in self.terms)} >= {self.bound}"

    def forced(self, values):
        """Return the literals that must be true, given the values of some variables; None if it cannot hold."""
        left = [term for term in self.terms if abs(term[1]) not in values]
        true = sum(times for times, x in self.terms if values.get(abs(x)) is (x > 0))
        if self.bound is None:
            forced = [-x if true % 2 else x for _, x in left]
            return (forced if len(left) == 1 else []) if left or true % 2 else None
        slack = true + sum(times for times, _ in left) - self.bound
        return None if slack < 0 else [x for times, x in left if times > slack]


@dataclass(frozen=True, slots=True)
class Formula(Puzzle):
    """Constraints over the variables from 1 on, of which some are shown."""

    variables: int
    rules: tuple[Constraint, ...]
    visible: tuple[int, ...]  # ascending
    name: str = ""
    kind, label, plural, rows = "formula", "formula", "formulas", 1
    columns = property(lambda self: len(self.visible))
    constraints_shape = property(lambda self: (1, max(1, len(self.rules))))
    measure = property(lambda self: (self.variables, len(self.rules), len(self.text)))
    hides = property(lambda self: len(self.visible) < self.variables)

    @classmethod
    def of(cls, variables, rules, visible=()):
        """Return a formula; all variables are shown if none is named."""
        rules, visible = tuple(rules), tuple(sorted({*visible})) or tuple(range(1, variables + 1))
        used = [1, *visible, *(abs(x) for rule in rules for _, x in rule.terms)]
        if not 1 <= min(used) <= max(used) <= variables:
            raise ValueError(f"the variables are from 1 to {variables}, and one is shown at least")
        if any(len({abs(x) for _, x in rule.terms}) < len(rule.terms) for rule in rules):
            raise ValueError("a constraint has a variable twice")
        return cls(variables, rules, visible)

    @property
    def text(self):
        shown = [f"c p show {' '.join(map(str, self.visible))} 0"] if self.hides else []
        return "/".join([f"formula:p cnf {self.variables} {len(self.rules)}", *shown, *map(str, self.rules)])

    @classmethod
    def parse(cls, text):
        return read_dimacs(text.removeprefix("formula:").replace("/", "\n"), "its text")

    def violations(self, grid):
        if (grid.rows, grid.columns) != (1, self.columns):
            raise ValueError(f"expected a grid of 1 x {self.columns}")
        values = {variable: value == "1" for variable, value in zip(self.visible, grid.text(), strict=True)}
        wrong = [number for number, rule in enumerate(self.rules) if rule.forced(values) is None]
        yield from (f"{self.constraint_words(number)} is not satisfied" for number in wrong)
        if not wrong and not completes(self.rules, values):
            yield "no values of the hidden variables satisfy the constraints"

    def constraint_words(self, number):
        return f"constraint {number + 1}, {self.rules[number]}" if self.rules else "no constraint"


def completes(rules, values):
    """Return whether values of the other variables satisfy all constraints, by a search that uses no engine."""
    while literals := {x for rule in rules for x in rule.forced(values) or ()}:
        values = values | {abs(x): x > 0 for x in literals}
    if any(rule.forced(values) is None for rule in rules):
        return False
    branch = {abs(x) for rule in rules for _, x in rule.terms}.difference(values)
    return not branch or any(completes(rules, values | {min(branch): value}) for value in (False, True))


def renumbered(puzzle):
    """Return the constraints over other numbers: the shown variables come first, as encodings ask for."""
    rest = sorted({*range(1, puzzle.variables + 1)}.difference(puzzle.visible))
    number = {variable: place for place, variable in enumerate([*puzzle.visible, *rest], 1)}
    return [[(times, number[abs(x)] * (1 if x > 0 else -1)) for times, x in rule.terms] for rule in puzzle.rules]


def clauses(puzzle, native=False):
    """Encode it in clauses; XORs are cut to four variables, unless they are native."""
    from crosslit_encoders.formula import Formula as Encoded  # here, because it imports numpy, which few commands need

    last, found, definitions, xors = puzzle.variables, [], [], []
    for place, (rule, terms) in enumerate(zip(puzzle.rules, renumbered(puzzle), strict=True)):
        if rule.bound is None:
            variables, odd = [abs(x) for _, x in terms], (1 + sum(x < 0 for _, x in terms)) % 2
            if native and variables:
                xors.append((tuple(variables), odd))
                continue
            while len(variables) > 4:
                last += 1
                definitions += parity([*variables[:3], last], 0)
                variables = [last, *variables[3:]]
            parts = parity(variables, odd)
        else:
            lists = covers(sorted(terms, reverse=True), sum(times for times, _ in terms) - rule.bound)
            if len(parts := [*islice(lists, MAX_CLAUSES + 1)]) > MAX_CLAUSES:
                raise GaveUp(f"a sum takes more than {MAX_CLAUSES:,} clauses")
        found += [(place, part) for part in (parts if [] not in parts else [[1], [-1]])]
    made = Encoded.of(1, puzzle.columns, [*(part for _, part in found), *definitions], [place for place, _ in found])
    return replace(made, variables=max(made.variables, last), xors=tuple(xors), part=None if xors else made.part)


def parity(variables, odd):
    """Return clauses, each of which forbids an assignment of the wrong parity."""
    signs = [signs for signs in product((1, -1), repeat=len(variables)) if signs.count(-1) % 2 != odd]
    return [[sign * variable for sign, variable in zip(each, variables, strict=True)] for each in signs]


def covers(terms, slack):
    """Yield the smallest lists of literals that cannot all be false: their descending coefficients exceed the slack."""
    if slack < 0:
        yield []
        return
    while sum(times for times, _ in terms) > slack:
        (times, x), *terms = terms
        yield from ([x, *others] for others in covers(terms, slack - times))


def sums(puzzle):
    """Model it for CP-SAT by sums and XORs."""
    from crosslit_encoders.cp_model import cp_sat
    from crosslit_encoders.finite_domain import CONTRADICTION, Linear, Model, Parity

    found = []
    for rule, terms in zip(puzzle.rules, renumbered(puzzle), strict=True):
        negative, variables = [times for times, x in terms if x < 0], [abs(x) - 1 for _, x in terms]
        if rule.bound is None:
            found.append(Parity(tuple(variables), (1 + len(negative)) % 2) if terms else CONTRADICTION)
        elif rule.bound > 0:
            signed = tuple((times if x > 0 else -times, abs(x) - 1) for times, x in terms)
            found.append(Linear(signed, rule.bound - sum(negative)) if terms else CONTRADICTION)
    return cp_sat(Model(1, puzzle.columns, domains=[(0, 1)] * puzzle.variables, constraints=found))


def random_formula(chance):
    """Return a random formula, with hidden variables or without."""
    rng, (_, columns) = chance.rng, chance.shape()
    variables, rules = columns + pick(rng, (0, 0, 1, 3)), []
    for _ in range(between(rng, 1, 2 * variables)):
        literals = [pick(rng, (-1, 1)) * x for x in shuffled(rng, range(1, variables + 1))[: between(rng, 1, 5)]]
        weights = pick(rng, ([1, 1, 1, 1, 1], [between(rng, 1, 6) for _ in range(5)]))[: len(literals)]
        bound = pick(rng, (1, None)) if max(weights) == 1 else between(rng, 1, sum(weights))
        rules.append(Constraint(tuple(zip(weights, literals, strict=True)), bound))
    return Formula.of(variables, rules, range(1, columns + 1)) if chance.allows(1, columns) else None


def smaller(puzzle, _solution, _square):
    """Yield it without a constraint, and without a variable and the constraints that have it."""
    for place in range(len(puzzle.rules)):
        yield replace(puzzle, rules=puzzle.rules[:place] + puzzle.rules[place + 1 :])
    for gone in range(1, puzzle.variables + 1):
        if visible := [x - (x > gone) for x in puzzle.visible if x != gone]:
            kept = [rule for rule in puzzle.rules if gone not in (abs(x) for _, x in rule.terms)]
            lower = [tuple((times, x - (x > gone) + (x < -gone)) for times, x in rule.terms) for rule in kept]
            yield Formula.of(puzzle.variables - 1, map(Constraint, lower, (rule.bound for rule in kept)), visible)


def read_dimacs(text, origin):
    """Read clauses, lines with ``x``, variables that are shown (``c p show``), and sums (``2*1 3*-2 >= 3``)."""
    size, rules, shown, left = 0, [], [], ()
    for line, words in enumerate(map(str.split, text.splitlines()), 1):
        try:
            if words[:3] == ["c", "p", "show"]:
                shown += [int(word) for word in words[3:] if word != "0"]
            elif words[:2] == ["p", "cnf"]:
                size = int(words[2])
            elif ">=" in words:
                rules.append(Constraint.of([tuple(map(int, word.split("*"))) for word in words[:-2]], int(words[-1])))
            elif words and words[0] != "c":
                is_xor = words[0][0] == "x"
                for x in map(int, " ".join(words).removeprefix("x").split()):
                    left = (*left, (1, x)) if x else left
                    # a literal counts once in a clause, and one with its negation always holds
                    if not x and (is_xor or not any((1, -literal) in left for _, literal in left)):
                        rules.append(Constraint(left, None) if is_xor else Constraint(tuple(dict.fromkeys(left))))
                    left = left if x else ()
        except (ValueError, IndexError):
            raise InputError(origin, f"expected a line of DIMACS, found {' '.join(words)!r:.40}", line) from None
    if not size or left:
        raise InputError(origin, "expected the line p cnf VARIABLES CLAUSES, and 0 after every clause")
    return Formula.of(size, rules, shown)


def read_opb(text, origin):
    """Read linear constraints over variables such as ``x1`` and ``~x1``."""
    rules, lines = [], re.sub(r"(?m)^\*.*$", "", text).split(";")
    for line in map(str.strip, lines[:-1]):
        found = re.fullmatch(r"((?:[+-]?\s*\d+\s+~?x\d+\s*)*)(>=|<=|=)\s*([+-]?\d+)", line)
        if not found:
            raise InputError(origin, f"expected a constraint such as +2 x1 -3 ~x2 >= 1 ;, found {line!r:.40}")
        words = re.findall(r"([+-]?)\s*(\d+)\s+(~?)x(\d+)", found[1])
        terms = [(int(sign + times), int("-" * len(no) + x)) for sign, times, no, x in words]
        rules += [Constraint.of(terms, int(found[3]))] * (found[2] != "<=")
        rules += [Constraint.of([(-times, x) for times, x in terms], -int(found[3]))] * (found[2] != ">=")
    if lines[-1].strip():
        raise InputError(origin, f"expected ; after {lines[-1].strip()!r:.40}")
    return Formula.of(max([1, *(abs(x) for rule in rules for _, x in rule.terms)]), rules)


DIMACS = SimpleNamespace(NAME="dimacs", SUMMARY="formula: clauses and XORs", EXTENSIONS=frozenset({".cnf"}))
DIMACS.sniff, DIMACS.parse = re.compile(r"(c.*\n)*p cnf ").match, read_dimacs
OPB = SimpleNamespace(NAME="opb", SUMMARY="formula: pseudo-Boolean constraints", EXTENSIONS=frozenset({".opb"}))
OPB.sniff, OPB.parse = re.compile(r"\* #variable=").match, read_opb
PARTLY = "CP-SAT would list a solution for each choice of the hidden variables"
ENCODINGS = [
    Encoding("covers", "formula", "cnf", clauses, frozenset({"formula-clauses"}), "clauses", default=True),
    Encoding("sums", "formula", "cp-sat", sums, frozenset({"formula-sums"}), "sums and XORs", default=True,
             unsupported_reason=lambda puzzle: PARTLY if puzzle.hides else None),
]  # fmt: skip
ENCODINGS.append(replace(ENCODINGS[0], name="xors", target="cnf-xor", encode=partial(clauses, native=True)))
SAMPLES = [Formula.parse(f"p cnf {text}") for text in (
    "1 2/1 0/-1 0", "3 3/1 2 0/-1 3 0/x2 3 0", "4 2/2*1 3*-4 1*3 >= 3/x1 2 3 4 0", "4 2/c p show 1 3 0/1 -2 0/x2 3 4 0"
)]  # fmt: skip
MAKERS = (Maker("random formulas", random_formula),)
KIND = Kind(puzzle=Formula, samples=lambda: SAMPLES, makers=lambda: MAKERS, smaller=smaller)
