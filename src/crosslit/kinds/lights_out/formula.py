"""The check that the formula of a board, of any number of states, forbids no solution: light by light."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crosslit.base.errors import GaveUp
from crosslit.base.grid import Grid
from crosslit.contract.clauses import CHECKER, Clause, Statement, WrongFormula, parts, renumbered, without_jumps
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.contradiction import eliminated

MAX_VALUES = 1 << 13
"""Maximum number of values that are tried for the presses and sums in a part, or in a clause, of a formula."""
_FEW = 64  # values that are tried one by one
MAX_WORK = 10**9
"""Maximum number of steps of the elimination for a formula about chosen presses: a few seconds."""

_ONE = -1  # stands for the number 1 in a form
Form = tuple[tuple[int, int], ...]
"""A sum modulo the number of states: unknown numbers in ascending order, presses at first, each with its amount."""
Quantity = tuple[Form, bool]
"""A form, and whether it is a whole number instead, the sum of the presses themselves."""
Values = frozenset[int] | range


def check_formula(board: LightsOut, statement: Statement) -> str | None:
    """Return None if a formula forbids no solution, otherwise why that is not shown.

    An auxiliary variable that stands for a sum of presses is as good as a press: a definition excludes nothing. Clauses
    that share other auxiliary variables form a part, and any other clause is one. A part must allow all values of its
    presses and sums that agree with the lights which only these presses change. If the formula is about chosen presses,
    the values must agree with all lights, by which the presses are first written as sums of a few unknown numbers.
    """
    k, lights = board.layout.states, _lights(board)
    presses: list[Form] = [((press, 1),) for press in range(board.rows * board.columns)]
    chosen = presses
    try:
        if statement.sums is None:
            near = _near(lights)
        else:
            chosen = [_sum(k, ((amount, presses[press]) for amount, press in terms)) for terms in statement.sums]
            by = -1 if board.rows < board.columns else 1  # by columns, if these are shorter: fewer are unknown
            order = sorted(range(len(presses)), key=lambda press: divmod(press, board.columns)[::by])
            presses, lights = _solved(lights, k, order)
            near = lambda _: lights  # noqa: E731
            if not _determine([_in_terms_of(presses, form, k) for form in chosen], presses, lights, k):
                raise WrongFormula("different solutions can have the same chosen presses")
        known = _known(k, chosen, statement)
        for clauses in _parts(statement.clauses, known):
            variables = sorted({variable for clause in clauses for variable in map(abs, clause)} & known.keys())
            found = sorted(_with_rests({known[variable][0] for variable in variables}))
            forms, whole = [form for form, _ in found], tuple(is_whole for _, is_whole in found)
            solved = forms if statement.sums is None else [_in_terms_of(presses, form, k) for form in forms]
            unknown = {number for form in solved for number, _ in form}
            rules = _renamed([*solved, *near(unknown)])
            meanings = tuple((found.index(quantity), each) for quantity, each in map(known.__getitem__, variables))
            values = _forbidden(k, rules, whole, meanings, renumbered(clauses, variables))
            if values is not None:
                pairs = zip(forms, values, strict=True)
                shown = " and ".join(f"{_words(form, board.columns)} = {value}" for form, value in pairs)
                raise WrongFormula(f"it forbids {shown or 'everything'}, which the lights allow")
    except GaveUp as error:
        return str(error)
    return None


def _lights(board: LightsOut) -> list[Form]:
    """Return, for each light, the form that must be 0, by the rules; a missing cell must not be pressed."""
    rows, columns, dark = board.rows, board.columns, board.dark

    def effect(press: int) -> Iterable[tuple[int, int]]:
        if not board.by_shifts:
            return board.effects[press]
        # Pressed by the rule checker on a dark board, to share no code with the encoders.
        toggled = dark.pressed(Grid.from_bits(rows, columns, 1 << press)).lit
        return ((row * columns + column, 1) for row, column in toggled.cells())

    cells = range(rows * columns)
    found: list[dict[int, int]] = [defaultdict(int) for _ in cells]
    missing = 0 if board.missing is None else board.missing.bits
    for press in cells:
        for light, amount in [(press, 1)] if missing >> press & 1 else effect(press):
            found[light][press] += amount
    lights = ([*terms.items(), (_ONE, value)] for terms, value in zip(found, board.shown.values(), strict=True))
    return [_sum(board.layout.states, [(1, light)]) for light in lights]


def _sum(k: int, parts: Iterable[tuple[int, Iterable[tuple[int, int]]]]) -> Form:
    """Return the sum of multiples of forms."""
    total: dict[int, int] = defaultdict(int)
    for times, form in parts:
        for number, amount in form:
            total[number] += times * amount
    return tuple(sorted((number, amount % k) for number, amount in total.items() if amount % k))


def _in_terms_of(presses: Sequence[Form], form: Form, k: int) -> Form:
    return _sum(k, ((amount, presses[press]) for press, amount in form))


def _near(lights: Sequence[Form]) -> Callable[[set[int]], list[Form]]:
    """Return the function that returns the lights about which only the given presses decide."""
    of_press: dict[int, list[int]] = defaultdict(list)
    for light, form in enumerate(lights):
        for press, _ in form:
            of_press[press].append(light)
    numbers = [{number for number, _ in form} - {_ONE} for form in lights]
    # A light that nothing changes and that is not 0: such a board has no solution that could be forbidden wrongly.
    never = [form for form, own in zip(lights, numbers, strict=True) if form and not own]

    def near(presses: set[int]) -> list[Form]:
        touched = sorted({light for press in presses for light in of_press[press]})
        return [*(lights[light] for light in touched if numbers[light] and numbers[light] <= presses), *never]

    return near


def _known(k: int, chosen: Sequence[Form], statement: Statement) -> Mapping[int, tuple[Quantity, Values]]:
    """Return the meaning of variables, in presses: those of cells, and those that the encoder explains."""
    known: dict[int, tuple[Quantity, Values]] = {}
    for cell, form in enumerate(chosen):
        for value in range(k) if k > 2 else [1]:
            known[1 + cell * k + value if k > 2 else cell + 1] = (form, False), range(value, value + 1)
    forms = dict(enumerate(chosen))
    for variable, (terms, values, is_whole) in sorted(statement.meanings.items()):
        # Numbers after the cells are variables, whose forms are meant. Chosen cells may be sums modulo k themselves.
        if variable in known or any(number not in forms for _, number in terms) or (is_whole and statement.sums):
            continue
        form = _sum(k, ((amount, forms[number]) for amount, number in terms))
        known[variable] = (form, is_whole), values
        forms.setdefault(variable - 1, form)
    return known


def _with_rests(quantities: set[Quantity]) -> set[Quantity]:
    """Add the rests of whole sums of which a part is among the quantities: such a rest is not negative."""
    rests = set()
    for (total, is_whole), (part, _) in itertools.product(quantities, quantities):
        presses = {press for press, _ in part}
        if is_whole and presses < {press for press, _ in total}:
            rest = tuple(term for term in total if term[0] not in presses)
            rests.add((rest, True) if len(rest) > 1 else (((rest[0][0], 1),), False))
    return quantities | rests


def _parts(clauses: Iterable[Clause], known: Mapping[int, tuple[Quantity, Values]]) -> Iterator[list[Clause]]:
    """Yield the clauses of each part; those about the same presses and sums together."""
    found: dict[frozenset[Quantity], list[Clause]] = defaultdict(list)
    others = []
    for clause in clauses:
        try:
            found[frozenset([known[abs(literal)][0] for literal in clause])].append(clause)
        except KeyError:
            others.append(clause)
    yield from found.values()
    yield from (part.clauses for part in parts(others, known))


def _renamed(forms: Iterable[Form]) -> tuple[Form, ...]:
    """Return forms with other unknown numbers, in order of appearance: equal parts of a board share one answer."""
    names = {_ONE: _ONE}
    return tuple(tuple((names.setdefault(number, len(names)), amount) for number, amount in form) for form in forms)


@lru_cache(maxsize=4096)
@without_jumps()
def _forbidden(
    k: int,
    rules: tuple[Form, ...],
    whole: tuple[bool, ...],
    meanings: tuple[tuple[int, Values], ...],
    clauses: tuple[Clause, ...],
) -> tuple[int, ...] | None:
    """Return values of the first forms that agree with the others, which are 0, and that clauses forbid; or None.

    The first variables have these meanings: the place of a form, and the values for which they are true.
    """
    domains = [_values(k, form) if is_whole else [*range(k)] for form, is_whole in zip(rules, whole, strict=False)]
    scale = max((domain[-1] for domain, is_whole in zip(domains, whole, strict=True) if is_whole), default=0) + 1
    relations, modulus = _relations(k, rules, whole, scale)

    def agrees(values: Sequence[int]) -> bool:
        return all((sum(map(int.__mul__, row, values)) + row[-1]) % modulus == 0 for row in relations)

    if all(abs(literal) <= len(meanings) for clause in clauses for literal in clause):
        every, truths = np.zeros((0, 0), np.int64), list[NDArray[np.bool_]]()  # made when a clause needs them
        for clause in clauses:
            false = [{*domain} for domain in domains]  # the values for which the clause does not hold
            for literal in clause:
                place, values = meanings[abs(literal) - 1]
                false[place] = {value for value in false[place] if (value in values) == (literal < 0)}
            if math.prod(map(len, false)) <= _FEW:
                wrong = next(filter(agrees, itertools.product(*false)), None)
            else:
                if not truths:
                    every = _agreeing(domains, relations, modulus)
                    truths = [np.isin(every[:, place], [*values]) for place, values in meanings]
                held = [truths[abs(literal) - 1] == (literal > 0) for literal in clause]
                found = every[~np.logical_or.reduce(held)].tolist()
                wrong = tuple(found[0]) if found else None
            if wrong is not None:
                return wrong
        return None
    from pysat.solvers import Solver

    with Solver(name=CHECKER, bootstrap_with=clauses) as target:
        for each in _agreeing(domains, relations, modulus).tolist():
            true = (each[place] in values for place, values in meanings)
            given = [variable if value else -variable for variable, value in enumerate(true, 1)]
            # The model is propagated again, so that a wrong "satisfiable" of the solver is noticed.
            if not (target.solve(assumptions=given) and target.propagate(target.get_model())[0]):
                return tuple(each)
    return None


def _values(k: int, form: Form) -> list[int]:
    """Return the values that a sum of presses can have, in ascending order."""
    found = {0}
    for _, amount in form:
        found = {value + amount * times for value in found for times in range(k)}
    return sorted(found)


def _agreeing(domains: Sequence[Sequence[int]], relations: Sequence[Sequence[int]], modulus: int) -> NDArray[np.int64]:
    """Return all values that agree with the relations, a row for each combination.

    A relation with the amount 1 or -1 gives one of the values, which need not be tried.
    """
    given = [(row, place) for row in relations for place in range(len(domains)) if row[place] in (1, modulus - 1)]
    row, last = max(given, key=lambda each: len(domains[each[1]]), default=(None, -1))
    tried = [[0] if place == last else domain for place, domain in enumerate(domains)]
    if math.prod(map(len, tried)) > MAX_VALUES:
        raise GaveUp(f"a part of the formula is about {len(domains)} presses or sums: more than {MAX_VALUES} values")
    every = [*itertools.product(*tried)]
    values = np.array(every, np.int64).reshape(len(every), len(domains))
    if row is not None:
        others = values @ np.array(row[:-1], np.int64) + row[-1]
        values[:, last] = others * (-1 if row[last] == 1 else 1) % modulus
        values = values[np.isin(values[:, last], domains[last])]
    sums = values @ np.array([row[:-1] for row in relations], np.int64).reshape(len(relations), len(domains)).T
    return np.asarray(values[((sums + [row[-1] for row in relations]) % modulus == 0).all(axis=1)])


def _relations(k: int, rules: Sequence[Form], whole: Sequence[bool], scale: int) -> tuple[list[list[int]], int]:
    """Return equations between the values of the first forms, and their modulus.

    An equation has the amount of each, and a number; the sum is 0. The modulus is ``scale`` times k, so that whole
    numbers below it are exact; equations modulo k are multiplied by the scale.
    """
    width = 1 + max((number for form in rules for number, _ in form), default=0)
    rows = []
    for place, form in enumerate(rules):
        row = [0] * (width + len(whole) + 1)
        # A press is a whole number too.
        exact = place < len(whole) and (whole[place] or (len(form) == 1 and form[0][1] == 1 and form[0][0] != _ONE))
        times = 1 if exact else scale
        for number, amount in form:
            row[number] = amount * times  # that of the number 1 is the last
        if place < len(whole):
            row[width + place] = -times % (scale * k)
        rows.append(row)
    eliminated(rows, width, scale * k)
    return [row[width:] for row in rows if any(row)], scale * k


def _solved(lights: Sequence[Form], k: int, order: Iterable[int]) -> tuple[list[Form], list[Form]]:
    """Return all presses as forms of few unknown numbers, and the forms of these that are 0.

    Lights that determine no press (`_determined`) are equations of the unknown numbers. As long as one of these has an
    amount that is prime to k, it determines an unknown number.
    """
    free, steps = _determined(lights, k, order)
    if len(lights) * len(free) ** 2 > MAX_WORK:
        raise GaveUp(f"the lights leave {len(free)} of {len(lights)} presses open, too many for elimination")
    forms = np.zeros((len(lights), len(free) + 1), np.int64)  # the last column is that of the number 1
    forms[free, range(len(free))] = 1

    def total(light: int) -> NDArray[np.int64]:
        terms = dict(lights[light])
        one = terms.pop(_ONE, 0)
        found = np.array([*terms.values()], np.int64) @ forms[[*terms]]
        found[-1] += one
        return np.asarray(found % k)

    for light, (press, amount) in steps.items():
        forms[press] = total(light) * -pow(amount, -1, k) % k  # until now that press was 0 in the total
    rest = np.array([total(light) for light in range(len(lights)) if light not in steps], np.int64)
    rest = rest.reshape(-1, len(free) + 1)
    while len(units := np.argwhere(np.gcd(rest[:, :-1], k) == 1)):
        equation, number = units[0]
        pivot = rest[equation] * pow(int(rest[equation, number]), -1, k) % k
        rest = (rest - np.outer(rest[:, number], pivot)) % k
        forms = (forms - np.outer(forms[:, number], pivot)) % k

    def form(row: list[int]) -> Form:
        return tuple((number, amount) for number, amount in [(_ONE, row[-1]), *enumerate(row[:-1])] if amount)

    return [*map(form, forms.tolist())], [form(row) for row in rest.tolist() if any(row)]


def _determined(lights: Sequence[Form], k: int, order: Iterable[int]) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """Return presses that determine all others, and lights with the press and its amount that they determine, in order.

    If all presses around a light but one are known, and its amount is prime to k, they determine it. If there is no
    such light, the next press becomes known.
    """
    around = [[(number, amount) for number, amount in form if number != _ONE] for form in lights]
    touched: list[list[int]] = [[] for _ in lights]
    for light, terms in enumerate(around):
        for press, _ in terms:
            touched[press].append(light)
    waiting = [*map(len, around)]  # the numbers of presses that are not yet known
    ready = [light for light, number in enumerate(waiting) if number == 1]
    known: set[int] = set()

    def learn(press: int) -> None:
        known.add(press)
        for light in touched[press]:
            waiting[light] -= 1
            if waiting[light] == 1:
                ready.append(light)

    free: list[int] = []
    steps: dict[int, tuple[int, int]] = {}
    for chosen in order:
        while ready:
            light = ready.pop()
            for press, amount in around[light]:
                if press not in known and math.gcd(amount, k) == 1:
                    steps[light] = press, amount
                    learn(press)
        if chosen not in known:
            free.append(chosen)
            learn(chosen)
    return free, steps


def _determine(chosen: Sequence[Form], presses: Sequence[Form], rules: Sequence[Form], k: int) -> bool:
    """Return whether different solutions differ in the chosen forms: where all of them are 0, every number is 0."""
    numbers = sorted({number for form in (*presses, *rules) for number, _ in form} - {_ONE})
    rows = [[dict(form).get(number, 0) for number in numbers] for form in {*chosen, *rules}]
    return all(math.gcd(pivot, k) == 1 for pivot in eliminated(rows, len(numbers), k))


def _words(form: Form, columns: int) -> str:
    """Return a sum of presses as text, with rows and columns from 1."""
    places = ((amount, f"{press // columns + 1}/{press % columns + 1}") for press, amount in form)
    return " + ".join(place if amount == 1 else f"{amount} x {place}" for amount, place in places) or "0"
