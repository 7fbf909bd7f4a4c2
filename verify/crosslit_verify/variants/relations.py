"""Constraints on small integers: what each one means, and how it is stated in the language of each engine.

A meaning is Python over the list ``v`` of values and the numbers ``p``. It decides which points there are, is tested in
the script of a failure, and is itself the statement to Z3 and CPMpy, with their ``all``, ``any`` and ``count``. In
MiniZinc, ``v`` and ``p`` are arrays from 1 without lists in them, and ``n`` is half of the length of ``v``. Where
engines disagree on a constraint of one name, a comment names the pages of their documentation.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.contract.family import between, pick, shuffled

Domains = Sequence[Sequence[int]]
Numbers = Callable[[random.Random, Domains], tuple[Any, ...]]


@dataclass(frozen=True)
class Draw:
    """How to draw the variables and numbers of a constraint: from ``least`` to ``most`` variables in steps."""

    least: int = 2
    most: int = 4
    step: int = 1
    numbers: Numbers = lambda _rng, _domains: ()
    scope: tuple[str, ...] = ("int",)  # kinds of variables, so many of each
    has_views: bool = True  # takes a * x + b in place of a variable
    suits: Callable[[Domains], bool] = lambda _: True  # whether variables with these values may be used


def _each(low: int, high: int, *more: tuple[int, int]) -> Numbers:
    """Return a function that draws a number for each variable, and more."""
    return lambda rng, domains: tuple(between(rng, *bounds) for bounds in (*((low, high) for _ in domains), *more))


def _values(least: int, most: int) -> Numbers:
    """Return a function that draws different values, most of them of the domains."""

    def draw(rng: random.Random, domains: Domains) -> tuple[Any, ...]:
        values = sorted({value for domain in domains for value in domain} | {domains[0][-1] + 1})
        return tuple(sorted(shuffled(rng, values)[: between(rng, least, most)]))

    return draw


def _rows(rng: random.Random, domains: Domains) -> tuple[Any, ...]:
    return tuple(sorted({tuple(pick(rng, own) for own in domains) for _ in range(between(rng, 1, 8))}))


def _tasks(rng: random.Random, domains: Domains) -> tuple[Any, ...]:
    lengths, heights = (_each(0, 3)(rng, domains) for _ in range(2))
    return lengths, heights, between(rng, 1, 4)


def _is_natural(domains: Domains) -> bool:
    return all(own[0] >= 0 for own in domains)


_DRAWS = {
    "two": Draw(2, 2),
    "three": Draw(3, 3),
    "list": Draw(),
    "halves": Draw(2, 6, 2),
    "element": Draw(3, 5),
    "constants": Draw(2, 2, numbers=_each(-3, 5, (-3, 5), (-3, 5))),
    "divisor": Draw(3, 3, suits=lambda domains: domains[2][0] * domains[2][-1] > 0),
    "positive": Draw(3, 3, suits=lambda domains: domains[2][0] > 0),
    "value": Draw(numbers=_values(1, 1)),
    "values": Draw(numbers=_values(2, 3)),
    "set": Draw(1, 1, numbers=_values(1, 3)),
    "step": Draw(numbers=lambda rng, _: (between(rng, 0, 1),)),
    "lengths": Draw(numbers=_each(0, 3)),
    "optional": Draw(2, 3, numbers=_each(0, 3), scope=("int", "bool")),
    "tasks": Draw(numbers=_tasks),
    "cycle": Draw(has_views=False, suits=_is_natural),
    "pairs": Draw(2, 6, 2, has_views=False, suits=_is_natural),
    "occurrences": Draw(2, 6, 2, lambda rng, domains: tuple(shuffled(rng, range(-2, 4))[: len(domains) // 2])),
    "rows": Draw(numbers=_rows),
    "sum": Draw(numbers=_each(-3, 3, (-6, 9))),
    "literals": Draw(1, 3, numbers=_each(0, 1), scope=("bool",)),
}

_TABLE = """
absolute two        all((v[0] >= 0, any((v[0] == v[1], v[0] == -v[1]))))
  ortools           m.AddAbsEquality(v[0], v[1])
  pychoco           m.absolute(v[0], v[1])
  cpmpy             v[0] == cp.Abs(v[1])
  minizinc          v[1] = abs(v[2])
maximum list        all((any(v[0] == i for i in v[1:]), *(v[0] >= i for i in v[1:])))
  ortools           m.AddMaxEquality(v[0], v[1:])
  pychoco           m.max(v[0], v[1:])
  cpmpy             v[0] == cp.Maximum(v[1:])
  minizinc          v[1] = max(v[2..])
minimum list        all((any(v[0] == i for i in v[1:]), *(v[0] <= i for i in v[1:])))
  ortools           m.AddMinEquality(v[0], v[1:])
  pychoco           m.min(v[0], v[1:])
  cpmpy             v[0] == cp.Minimum(v[1:])
  minizinc          v[1] = min(v[2..])
# An index outside the list breaks the constraint, and makes a reified one false: Choco's Constraint.reify.
element element     any(all((v[0] == i, v[1] == e)) for i, e in enumerate(v[2:]))
  ortools           m.AddElement(v[0], v[2:], v[1])
  pychoco           m.element(v[1], v[2:], v[0], 0)
  cpmpy             v[1] == cp.Element(v[2:], v[0])
  minizinc          v[2] = v[3..][v[1] + 3]
lookup constants    any(all((v[0] == i, v[1] == e)) for i, e in enumerate(p))
  ortools           m.AddElement(v[0], p, v[1])
  pychoco           m.element(v[1], p, v[0], 0)
  cpmpy             v[1] == cp.Element(p, v[0])
  minizinc          v[2] = p[v[1] + 1]
product three       v[0] == v[1] * v[2]
  ortools           m.AddMultiplicationEquality(v[0], v[1:])
  pychoco           m.times(v[1], v[2], v[0])
  minizinc          v[1] = v[2] * v[3]
# Quotients are rounded towards 0, and a remainder has the sign of the dividend: CpModel.add_division_equality and
# add_modulo_equality, Choco's IModel.div and mod. Z3 (SMT-LIB's Ints) has a remainder of at least 0, and Python rounds
# down. Divisors are never 0 here, because engines disagree on that, and those of CP-SAT's remainders are positive.
division divisor    all(all((r * r < v[2] * v[2], r * v[1] >= 0)) for r in [v[1] - v[0] * v[2]])
  ortools           m.AddDivisionEquality(v[0], v[1], v[2])
  pychoco           m.div(v[1], v[2], v[0])
  z3                v[0] == z3.If(v[1] < 0, -(-v[1] / v[2]), v[1] / v[2])
  cpmpy             v[0] == v[1] // v[2]
  minizinc          v[1] = v[2] div v[3]
modulus positive    all((v[0] * v[0] < v[2] * v[2], v[0] * v[1] >= 0, (v[1] - v[0]) % v[2] == 0))
  ortools           m.AddModuloEquality(v[0], v[1], v[2])
  pychoco           m.mod(v[1], v[2], v[0])
  z3                v[0] == z3.If(v[1] < 0, -(-v[1] % v[2]), v[1] % v[2])
  cpmpy             v[0] == v[1] % v[2]
  minizinc          v[1] = v[2] mod v[3]
all_different list  all(v[i] != v[j] for i in range(len(v)) for j in range(i))
  ortools           m.AddAllDifferent(v)
  pychoco           m.all_different(v)
  z3                z3.Distinct(v)
  cpmpy             cp.AllDifferent(v)
  minizinc          all_different(v)
all_equal list      all(v[0] == i for i in v)
  pychoco           m.all_equal(v)
  cpmpy             cp.AllEqual(v)
  minizinc          all_equal(v)
count value         v[0] == count(i == p[0] for i in v[1:])
  pychoco           m.count(p[0], v[1:], v[0])
  cpmpy             v[0] == cp.Count(v[1:], p[0])
  minizinc          v[1] = count(v[2..], p[1])
among values        v[0] == count(any(i == j for j in p) for i in v[1:])
  pychoco           m.among(v[0], v[1:], p)
  cpmpy             v[0] == cp.Among(v[1:], p)
  minizinc          among(v[1], v[2..], array2set(p))
  minizinc?         v[1] = sum([v[i] in array2set(p) | i in 2..length(v)])
cardinality occurrences all(v[len(p) + k] == count(i == p[k] for i in v[:len(p)]) for k in range(len(p)))
  pychoco           m.global_cardinality(v[:len(p)], p, v[len(p):])
  cpmpy             cp.GlobalCardinalityCount(v[:len(p)], p, v[len(p):])
  minizinc          global_cardinality([v[i] | i in 1..n], p, [v[n + i] | i in 1..n])
  minizinc?         forall(k in 1..n)(v[n + k] = sum([v[i] = p[k] | i in 1..n]))
values list         v[0] == count(all(v[i] != v[j] for j in range(1, i)) for i in range(1, len(v)))
  pychoco           m.n_values(v[1:], v[0])
  cpmpy             v[0] == cp.NValue(v[1:])
  minizinc          nvalue(v[1], v[2..])
  minizinc?         v[1] = sum([forall([v[i] != v[j] | j in 2..i - 1]) | i in 2..length(v)])
values_or_more list v[0] <= count(all(v[i] != v[j] for j in range(1, i)) for i in range(1, len(v)))
  pychoco           m.at_least_n_values(v[1:], v[0])
  cpmpy             v[0] <= cp.NValue(v[1:])
  minizinc          v[1] <= sum([forall([v[i] != v[j] | j in 2..i - 1]) | i in 2..length(v)])
values_or_less list v[0] >= count(all(v[i] != v[j] for j in range(1, i)) for i in range(1, len(v)))
  pychoco           m.at_most_n_values(v[1:], v[0])
  cpmpy             v[0] >= cp.NValue(v[1:])
  minizinc          v[1] >= sum([forall([v[i] != v[j] | j in 2..i - 1]) | i in 2..length(v)])
# The first index of the maximum: Choco's IModel.argmax, as MiniZinc's arg_max.
argmax list         any(all((v[0] == k, *(j < e for j in v[1:k + 1]), *(j <= e for j in v[k + 1:])))\
 for k, e in enumerate(v[1:]))
  pychoco           m.argmax(v[0], 0, v[1:])
  minizinc          v[1] = arg_max(v[2..]) - 2
increasing step     all(i + p[0] <= j for i, j in zip(v, v[1:]))
  pychoco           m.increasing(v, p[0])
  cpmpy             (cp.IncreasingStrict if p[0] else cp.Increasing)(v)
  minizinc          if p[1] = 0 then increasing(v) else strictly_increasing(v) endif
decreasing step     all(i >= j + p[0] for i, j in zip(v, v[1:]))
  pychoco           m.decreasing(v, p[0])
  cpmpy             (cp.DecreasingStrict if p[0] else cp.Decreasing)(v)
  minizinc          if p[1] = 0 then decreasing(v) else strictly_decreasing(v) endif
# An interval of length 0 must not be inside another one: CpModel.add_no_overlap, MiniZinc's disjunctive_strict.
no_overlap lengths  all(any((v[i] + p[i] <= v[j], v[j] + p[j] <= v[i])) for i in range(len(v)) for j in range(i))
  ortools           m.AddNoOverlap([m.NewFixedSizeIntervalVar(i, d, '') for i, d in zip(v, p)])
  cpmpy             cp.NoOverlap(v, p, [i + d for i, d in zip(v, p)]) if 0 not in p else\
 all(any((v[i] + p[i] <= v[j], v[j] + p[j] <= v[i])) for i in range(len(v)) for j in range(i))
  minizinc          disjunctive_strict(v, p)
  minizinc?         forall(i, j in index_set(v) where i < j)(v[i] + p[i] <= v[j] \\/ v[j] + p[j] <= v[i])
optional_intervals optional all(any((v[i] + p[i] <= v[j], v[j] + p[j] <= v[i], v[n + i] == 0, v[n + j] == 0))\
 for n in [len(v) // 2] for i in range(n) for j in range(i))
  ortools           m.AddNoOverlap([m.NewOptionalFixedSizeIntervalVar(i, d, b, '')\
 for i, d, b in zip(v, p, v[len(v) // 2:])])
  minizinc          disjunctive_strict([if v[n + i] = 1 then v[i] else <> endif | i in 1..n], [p[i] | i in 1..n])
  minizinc?         forall(i, j in 1..n where i < j)(v[i] + p[i] <= v[j] \\/ v[j] + p[j] <= v[i]\
 \\/ v[n + i] * v[n + j] = 0)
cumulative tasks    all(count(all((i <= t, t < i + d)) for i, d, h in zip(v, p[0], p[1]) for _ in range(h)) <= p[2]\
 for t in v)
  ortools           m.AddCumulative([m.NewFixedSizeIntervalVar(i, d, '') for i, d in zip(v, p[0])], p[1], p[2])
  pychoco           m.cumulative([m.task(i, d) for i, d in zip(v, p[0])], [m.intvar(h, h) for h in p[1]],\
 m.intvar(p[2], p[2]))
  cpmpy             cp.Cumulative(v, p[0], [i + d for i, d in zip(v, p[0])], p[1], p[2])
  minizinc          cumulative(v, [p[i] | i in index_set(v)], [p[length(v) + i] | i in index_set(v)], p[length(p)])
  minizinc?         forall(t in v)(sum([p[length(v) + i] * (v[i] <= t /\\ t < v[i] + p[i]) | i in index_set(v)])\
 <= p[length(p)])
# One cycle through all nodes, as in Choco's IModel.circuit. CP-SAT leaves out nodes with loops, so there are none.
circuit cycle       any(all(v[i] == j for i, j in zip(c, c[1:] + c[:1])) for c in permutations(range(len(v))))
  ortools           circuit(v)
  pychoco           m.circuit(v, 0)
  cpmpy             cp.Circuit(v)
  minizinc          circuit([i + 1 | i in v])
  minizinc?         forall(k in 1..pow(2, length(v)) - 2)(exists(i, j in index_set(v)\
 where k div pow(2, i - 1) mod 2 > k div pow(2, j - 1) mod 2)(v[i] = j - 1))
inverse pairs       all(any(all((v[i] == j, v[n + j] == i)) for j in range(n)) for n in [len(v) // 2] for i in range(n))
  ortools           m.AddInverse(v[:len(v) // 2], v[len(v) // 2:])
  pychoco           m.inverse_channeling(v[:len(v) // 2], v[len(v) // 2:])
  cpmpy             cp.Inverse(v[:len(v) // 2], v[len(v) // 2:])
  minizinc          inverse([v[i] + 1 | i in 1..n], [v[n + i] + 1 | i in 1..n])
  minizinc?         forall(i in 1..n)(exists(j in 1..n)(v[i] = j - 1 /\\ v[n + j] = i - 1))
lex_less halves     any(all((v[k] < v[n + k], *(v[i] == v[n + i] for i in range(k))))\
 for n in [len(v) // 2] for k in range(n))
  pychoco           m.lex_less(v[:len(v) // 2], v[len(v) // 2:])
  cpmpy             cp.LexLess(v[:len(v) // 2], v[len(v) // 2:])
  minizinc          lex_less([v[i] | i in 1..n], [v[n + i] | i in 1..n])
lex_less_eq halves  all(any((v[k] <= v[n + k], *(v[i] != v[n + i] for i in range(k))))\
 for n in [len(v) // 2] for k in range(n))
  pychoco           m.lex_less_eq(v[:len(v) // 2], v[len(v) // 2:])
  cpmpy             cp.LexLessEq(v[:len(v) // 2], v[len(v) // 2:])
  minizinc          lex_lesseq([v[i] | i in 1..n], [v[n + i] | i in 1..n])
rows rows           any(all(i == j for i, j in zip(v, row)) for row in p)
  ortools           m.AddAllowedAssignments(v, p)
  pychoco           m.table(v, p)
  cpmpy             cp.Table(v, p)
  minizinc          table(v, array2d(1..length(p) div length(v), index_set(v), p))
no_rows rows        all(any(i != j for i, j in zip(v, row)) for row in p)
  ortools           m.AddForbiddenAssignments(v, p)
  pychoco           m.table(v, p, False)
  cpmpy             cp.NegativeTable(v, p)
  minizinc          not table(v, array2d(1..length(p) div length(v), index_set(v), p))
member set          any(v[0] == i for i in p)
  ortools           m.AddLinearExpressionInDomain(v[0], cp_model.Domain.FromValues(p))
  pychoco           m.member(v[0], p)
  cpmpy             cp.InDomain(v[0], p)
  minizinc          v[1] in array2set(p)
sum_equal sum       sum(a * b for a, b in zip(p, v)) == p[-1]
  ortools           m.Add(sum(a * b for a, b in zip(p, v)) == p[-1])
  pychoco           m.scalar(v, p[:-1], '=', p[-1])
  minizinc          sum([p[i] * v[i] | i in index_set(v)]) = p[length(p)]
sum_unequal sum     sum(a * b for a, b in zip(p, v)) != p[-1]
  ortools           m.Add(sum(a * b for a, b in zip(p, v)) != p[-1])
  pychoco           m.scalar(v, p[:-1], '!=', p[-1])
  minizinc          sum([p[i] * v[i] | i in index_set(v)]) != p[length(p)]
some literals       any(i == s for i, s in zip(v, p))
  ortools           m.AddBoolOr([i if s else i.Not() for i, s in zip(v, p)])
  minizinc          exists([v[i] = p[i] | i in index_set(v)])
every literals      all(i == s for i, s in zip(v, p))
  ortools           m.AddBoolAnd([i if s else i.Not() for i, s in zip(v, p)])
  minizinc          forall([v[i] = p[i] | i in index_set(v)])
odd literals        count(i == s for i, s in zip(v, p)) % 2 == 1
  ortools           m.AddBoolXOr([i if s else i.Not() for i, s in zip(v, p)])
  cpmpy             cp.Xor([i == s for i, s in zip(v, p)])
  minizinc          xorall([v[i] = p[i] | i in index_set(v)])
at_most_one literals count(i == s for i, s in zip(v, p)) <= 1
  ortools           m.AddAtMostOne([i if s else i.Not() for i, s in zip(v, p)])
  minizinc          sum([v[i] = p[i] | i in index_set(v)]) <= 1
exactly_one literals count(i == s for i, s in zip(v, p)) == 1
  ortools           m.AddExactlyOne([i if s else i.Not() for i, s in zip(v, p)])
  minizinc          sum([v[i] = p[i] | i in index_set(v)]) = 1
"""


@dataclass(frozen=True)
class Relation:
    """A constraint: its meaning, how to draw it, and its statements, by the package of the engine.

    The name of a package with a question mark is for a statement that depends on a Boolean, where the other cannot.
    """

    meaning: str
    draw: Draw
    statements: Mapping[str, str]


def _parsed(table: str) -> Iterator[tuple[str, Relation]]:
    for entry in re.split(r"\n(?! )", re.sub("#.*", "", table)):
        if entry:
            first, *lines = entry.splitlines()
            name, draw, meaning = first.split(maxsplit=2)
            statements = {word: line.strip() for word, line in (line.split(maxsplit=1) for line in lines)}
            yield name, Relation(meaning, _DRAWS[draw], {"z3": meaning, "cpmpy": meaning, **statements})


RELATIONS = dict(_parsed(_TABLE))
"""The constraints, by the names that techniques have, too."""


@dataclass(frozen=True)
class Language:
    """How the package of an engine says that a constraint holds, always or depending on a Boolean."""

    modes: Mapping[str, str]  # by ``""``, ``if`` and ``iff``: {0} is the constraint, {1} the Boolean
    negation: str  # of the Boolean
    helper: str = ""  # code that statements need
    values: str = "x"  # the list of variables as integers
    view: str = "{0} * {1} + {2}"
    scope: str = "v, p = {0}, {1}"  # the variables and numbers of a statement
    literal: str = "x[{}]"


LANGUAGES = {
    "ortools": Language(
        {"": "{0}", "if": "{0}.OnlyEnforceIf({1})"},
        "{}.Not()",
        """def circuit(v):
  arcs = [(i, j, m.NewBoolVar('')) for i in range(len(v)) for j in range(len(v)) if i != j]
  for i, j, b in arcs: m.Add(v[i] == j).OnlyEnforceIf(b); m.Add(v[i] != j).OnlyEnforceIf(b.Not())
  return m.AddCircuit(arcs)""",
    ),
    "pychoco": Language(
        {"": "{0}.post()", "if": "{0}.implied_by({1})", "iff": "{0}.reify_with({1})"},
        "m.bool_not_view({})",
        view="m.int_affine_view({0}, {1}, {2})",
    ),
    "z3": Language(
        {"": "s.add({0})", "if": "s.add(z3.Implies({1}, {0}))", "iff": "s.add({1} == ({0}))"},
        "z3.Not({})",
        """from itertools import permutations
def all(items): return z3.And([z3.BoolVal(True), *items])
def any(items): return z3.Or([z3.BoolVal(False), *items])
def count(items): return z3.Sum([z3.If(i, 1, 0) for i in items])""",
        "n",
    ),
    "cpmpy": Language(
        {"": "m += [{0}]", "if": "m += {1}.implies({0})", "iff": "m += [{1} == ({0})]"},
        "(~{})",
        "from cpmpy import all, any, sum as count\nfrom itertools import permutations",
    ),
    "minizinc": Language(
        {"": "({0});", "if": "({1} -> ({0}));", "iff": "({1} <-> ({0}));"},
        "not({})",
        # Debian's Gecode cannot read globals.mzn
        """include "all_different.mzn"; include "all_equal.mzn"; include "among.mzn"; include "arg_max.mzn";
include "circuit.mzn"; include "cumulative.mzn"; include "decreasing.mzn"; include "disjunctive_strict.mzn";
include "disjunctive_strict_opt.mzn"; include "global_cardinality.mzn"; include "increasing.mzn"; include "inverse.mzn";
include "lex_less.mzn"; include "lex_lesseq.mzn"; include "nvalue.mzn"; include "strictly_decreasing.mzn";
include "strictly_increasing.mzn";""",
        "x0",
        scope="constraint let {{ array[int] of var int: v = {0}; array[int] of int: p = {1};\n"
        "  int: n = length(v) div 2; }} in",
        literal="(x0[{}] = 1)",
    ),
}


def relations_of(package: str) -> frozenset[str]:
    """Return the constraints that a package can state, and the modes in which it can."""
    names = {name for name, own in RELATIONS.items() if package in own.statements}
    return frozenset(names | {*LANGUAGES[package].modes} - {""})


def scope(data: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the variables of a constraint without the Boolean of its mode, which is the last one."""
    return tuple(data[0][:-1] if data[2] else data[0])


def _operands(data: tuple[Any, ...], name: str, view: str) -> tuple[str, str]:
    """Return the variables and the numbers of a constraint as Python."""
    parts = (
        f"{name}[{index}]" if own == (1, 0) else view.format(own[0], f"{name}[{index}]", own[1])
        for index, own in zip(scope(data), data[3], strict=True)
    )
    return f"[{', '.join(parts)}]", str([[*own] if isinstance(own, tuple) else own for own in data[1]])


def statements(package: str, items: Sequence[tuple[str, tuple[Any, ...]]]) -> Iterator[str]:
    """Yield the lines of a script that state constraints to an engine."""
    language = LANGUAGES.get(package)
    if language and any(kind == "circuit" or package != "ortools" for kind, _ in items):
        yield language.helper
    for kind, data in items:
        assert language is not None
        mode, _, negation = data[2].partition(" ")
        literal = language.literal.format(data[0][-1])
        literal = language.negation.format(literal) if negation else literal
        own, (values, numbers) = RELATIONS[kind].statements, _operands(data, language.values, language.view)
        if package == "minizinc":
            numbers = f"[{re.sub('[][]', '', numbers)}]"  # in one array
        yield language.scope.format(values, numbers)
        yield language.modes[mode].format(own.get(f"{package}?" if mode else "", own[package]), literal)


def held(kind: str, data: tuple[Any, ...]) -> str:
    """Return the condition that ``point`` satisfies a constraint, in Python with `NAMES`."""
    test = f"(lambda v, p: {RELATIONS[kind].meaning})({', '.join(_operands(data, 'point', '{0} * {1} + {2}'))})"
    if not data[2]:
        return test
    is_on = f"(point[{data[0][-1]}] == {int(not data[2].endswith('not'))})"
    return f"({test} == {is_on})" if data[2].startswith("iff") else f"({test} or not {is_on})"


NAMES = "from builtins import all, any, sum as count\nfrom itertools import permutations"


@functools.lru_cache(maxsize=4096)
def holds(kind: str, data: tuple[Any, ...]) -> Callable[[Any], bool]:
    """Return the function that tells whether a point satisfies a constraint."""
    function: Callable[[Any], bool]
    function = eval(f"lambda point: {held(kind, data)}", {"count": sum, "permutations": itertools.permutations})
    return function
