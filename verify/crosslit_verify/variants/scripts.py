"""Parts of the scripts of variants: numbers and constraints as Python, and the check of a wrong answer."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from crosslit_verify.variants.model import Constraint, Number, VariantModel, Wrong, units
from crosslit_verify.variants.relations import NAMES, RELATIONS, held


def text(value: Any) -> str:
    """Return numbers and lists of them as Python, and fractions as floats."""
    if isinstance(value, int):  # most of them, and the slow test for a fraction comes last
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(text, value))}]"
    return repr(float(value)) if isinstance(value, Fraction) and value.denominator > 1 else str(value)


def mapping(terms: Iterable[tuple[int, Number]]) -> str:
    """Return a dict as Python."""
    return "{" + ", ".join(f"{variable}: {text(factor)}" for variable, factor in terms) + "}"


def lists(constraints: Iterable[Constraint], kind: str) -> str:
    """Return the constraints of a kind as Python; empty if there are none."""
    own = [item.data for item in constraints if item.kind == kind or (item.kind, kind) == ("nfa", "regular")]
    if kind == "linear" and own:
        return f"[{', '.join(f'({mapping(terms)}, {sense}, {text(bound)})' for terms, sense, bound in own)}]"
    return text(own) if own else ""


_CHECKS = {
    "linear": ("t, s, b", "not s(v := sum(c * point[i] for i, c in t.items()), b) and abs(v - b) > 1e-4"),
    "clause": ("own", "not any(point[abs(i) - 1] == (i > 0) for i in own)"),
    "xor": ("own, value", "sum(point[i] for i in own) % 2 != value"),
    "table": ("own, rows", "[point[i] for i in own] not in rows"),
}
"""Names for the parts of a constraint, and a condition that a point breaks it, by its kind."""


def report(source: str, model: VariantModel, wrong: Wrong, version: str, doubt: str) -> str:
    """Return the script of a model with lines that check the point of a wrong answer and say what is wrong."""
    where = f"in {version}: {wrong.detail}{doubt and f'; not confirmed: {doubt}'}"
    lines = [f"# {wrong.problem} {where}", source]
    fixed = model.steps[wrong.step].fixed
    verdict = f"print({('Perhaps wrong' if doubt else 'Wrong') + f' {where}.'!r})"
    if wrong.problem == "wrong-core":
        lines.append(f"print('assumed:', {units(fixed)}, 'core:', answers[{wrong.step}][4])")
        fixed = ()  # the point satisfies the core alone
    if wrong.problem == "wrong-proof":
        lines.append("print('proof:', answers[0][5])")
    if not wrong.point:
        return "\n".join([*lines, verdict * wrong.problem.startswith("wrong-"), ""])
    lines += ["# check the point", f"point = {text([*wrong.point])}"]
    lines.append("broken = [i for i, (low, high) in enumerate(bounds) if not low <= point[i] <= high]")
    if fixed:
        lines.append(f"broken += [i for i, v in {mapping(fixed)}.items() if point[i] != v]")
    for kind, (names, test) in _CHECKS.items():
        if own := lists(model.all_constraints(wrong.step), kind):
            here = f"{kind}s" if f"\n{kind}s = {own}\n" in source else own  # the script may have the list already
            lines.append(f"broken += [({names}) for {names} in {here} if {test}]")
    relations = [item for item in model.all_constraints(wrong.step) if item.kind in RELATIONS]
    lines += [NAMES] * bool(relations)
    lines += [f"broken += [{item.kind!r}] * (not {held(*item)})" for item in relations]
    if model.asks_all:
        lines.append("print('one of the', len(answers[0][1]), 'points:', point in answers[0][1])")
    lines.append(f"print(answers[{wrong.step}], 'the point', point, 'breaks', broken or 'nothing')")
    if terms := model.objective_at(wrong.step):
        lines.append(f"print('its objective:', sum(c * point[i] for i, c in {mapping(terms)}.items()))")
    return "\n".join([*lines, verdict, ""])
