"""The JSON Schema of the objects that commands print with ``--json``: `docs/reference/json.schema.json`.

Statuses, problems and other words, and records that are printed as they are, come from the code; the keys of all other
objects stand here, with the types that these keys have in every object. Tests hold the output of every command to it.
``python -m benchmarks.json_schema --write`` writes the file; wheels have it as ``crosslit/json.schema.json``.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import types
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from crosslit_backends.programs.protocol import Claims
from crosslit_bench.difference import Trend
from crosslit_bench.results import Measure
from crosslit_bench.spec import CampaignTask
from crosslit_verify.contract_checks import CheckOutcome as ContractCheck

from crosslit.cli.output import SCHEMA
from crosslit.contract.certificate import Claim
from crosslit.contract.run import RunStatus
from crosslit.judging.verdict import PROBLEMS, Evidence, Finding, VerdictStatus

FILE = Path(__file__).parents[1] / "docs" / "reference" / "json.schema.json"

# words of the code; kinds and questions may also come from other distributions, so these are texts
WORDS: dict[str, Iterable[str]] = {
    "asked": get_args(CampaignTask),
    "claim": get_args(Claim),
    "claims": get_args(Claims),
    "evidence": get_args(Evidence),
    "explanation": [status for status in get_args(VerdictStatus) if status != "optimal"],
    "measure": get_args(Measure),
    "problem": PROBLEMS,
    "run-status": get_args(RunStatus),
    "solve-status": ("solved", "unsolvable", "undecided", "wrong"),
    "trend": get_args(Trend),
    "verdict-status": get_args(VerdictStatus),
}
SIMPLE: dict[str, dict[str, Any]] = {
    "any": {},
    **{name: {"type": name} for name in ("null", "number")},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "text": {"type": "string"},
}
_LOG2 = {"type": "object", "properties": {"log2": {"type": "integer"}}, "required": ["log2"]}
NUMBERS_AND_GRIDS: dict[str, Any] = {
    "whole": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}, _LOG2]},  # beyond 2^53
    "grid": {"type": "string", "pattern": "^[0-9A-Za-z?_]+(/[0-9A-Za-z?_]+)*$"},
    "hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
# Records whose JSON form is that of their fields, and the keys whose values are replaced.
RECORDS: dict[str, tuple[type, dict[str, str]]] = {
    "check": (ContractCheck, {"puzzle": "puzzle?"}),
    "finding": (Finding, {"problem": "problem"}),
}
# Words after a name are keys: KEY, KEY:TYPE, with a ? behind the key if it may be missing; +NAME stands for the keys of
# that line. TYPE? may be null, [TYPE] is a list, {TYPE} an object with any keys. A key without a type has that of the
# first line, or else the object of its name.
SHARED = """
support: evidence by findings runs:[run]
made: puzzle seed number:int
campaign: store campaign title asked:asked limits shard:text? planned made outside unlike_machines:[text] disturbed:int
    statuses:{int} wrong:int backends:[contestant] findings:[campaign-finding]
"""
PARTS = """
puzzle: name? kind? rows? columns? id?:hash text? nullity?:int?
limits: solutions timeout:number? memory_mb cpu_timeout?:number cores?:int
verdict: status:verdict-status solutions at_least complete evidence by certificate?
certificate: format claim:claim count:whole by:text checked_by:text trusts
presses: best:whole? bound:whole? proved evidence?
run: backend encoding version repetition? status:run-status solutions digest?:hash seconds:times memory_mb stats error
    count? presses? grids?:[grid]
times: encode:number load:number solve:number decode:number total:number cpu:number wall:number
spread: median:number min:number max:number
check_list: right:int wrong:int repeated:int missing:whole? complete evidence faults:[fault]
fault: line:int problem:text
subset: size:int? bound smallest:bool +support
campaign-finding: puzzle backend problem:problem detail witness:text?
contestant: backend group:text? version:text? planned made solved:int wrong:int statuses:{int} seconds:number?
merged: store new known:int
verdict-change: puzzle old:text new:text contradicts:bool
wrong-answer: backend puzzle finding
setup-change: condition:text old:text new:text
change: backend trend:trend puzzles solved_old:int solved_new:int slower_on:int faster_on:int ratio:number?
    interval_low:number? interval_high:number? p_adjusted:number
coverage: cases:int judged:int exhausted:{int} begun:{{int}} random:{int} skipped:{int}
failure: problem:problem detail puzzle answer:text right:text original:text
    again:bool? case:int family:text minimal:bool tried:int
totals: puzzles solvable:int unsolvable:int undecided:int unique:int multiple:int difficulty:{int} same:int wrong:int
"""
COMMANDS = """
backends: name version:text? available:bool reason summary:text kinds:[text] questions:[text] encodings:{[text]}
    groups:[text] options:{text} rests_on:[text]
bench-diff: old:text new:text measure:measure puzzles verdicts:[verdict-change] wrong:[wrong-answer] changes:[change]
    setups:[setup-change] only_old:[text] only_new:[text] worse:bool undecided:bool
bench-merge: +campaign merged:[merged]
bench-report: store measure:measure file:text? figures:[text] tables:[text] runs:int planned disturbed:int
    analysis:{[{any}]}
bench-run: +campaign new lost:int interrupted
bench-status: +campaign
check-backend: backend version encoding kind passed:bool checks:[check]
check-certificate: puzzle format:text? claim:claim? count accepted:bool? reason checked_by:text? trusts:[text]?
compare: question:text limits puzzle verdict presses?:presses uncertified?:{text} consistent findings runs:[run]
    totals:{spread?}
count: limits puzzle count evidence by unchecked?:text consistent findings runs:[run]
decode: puzzle encoding:text status:solve-status solution violations:[text] broken_constraint:text?
enumerate: limits puzzle solutions known:whole complete evidence by reason consistent findings runs:[run]
    check_list?
explain: puzzle status:explanation grids:[grid] differing:grid? sums:{int}? lines:[text] lights:grid?
    contradiction:subset? findings
generate: +made solvable?:bool unique?:bool? difficulty? changed?:int picture?:grid
page: file:text bytes:int name:text? solutions:int complete steps:int
show: puzzle cells?:grid
solve: puzzle status:solve-status solution presses? findings run
stats: puzzle? status?:verdict-status solutions? at_least? evidence? by? difficulty?
    same_as?:text? findings? totals?
verify: passed:bool interrupted solver?:text kind claims:claims seed size:text only:text?
    like:text? failures:[failure] counts:{int} coverage seconds:number end:text
"""
TYPES = """
at_least:whole backend:text bound:whole by:[text] campaign:text columns:int complete:bool consistent:bool
contestant:text count:whole? detail:text difficulty:text? encoding:text? error:text? evidence:evidence?
findings:[finding] format:text interrupted:bool kind:text made:int memory_mb:number name:text new:int outside:int
planned:int proved:bool puzzles:int reason:text? repetition:int rows:int running:bool seed:int solution:grid?
solutions:whole? stats:{any} store:text text:text title:text trusts:[text] version:text
"""


def schema(is_closed: bool = False) -> dict[str, Any]:
    """Return the schema of the objects.

    Args:
        is_closed: allow no other keys, as a test does; readers expect that later versions add keys.
    """
    definitions: dict[str, Any] = {name: {"enum": [*words]} for name, words in WORDS.items()} | NUMBERS_AND_GRIDS
    usual = dict(word.split(":") for word in TYPES.split())
    for name, (record, replaced) in RECORDS.items():
        hints = get_type_hints(record)
        members = {field.name: _of_hint(hints[field.name]) for field in dataclasses.fields(record)}
        definitions[name] = _object(members | {key: _type(text) for key, text in replaced.items()}, (), is_closed)
    head = {"schema": {"const": SCHEMA}, "crosslit": {"type": "string"}}
    commands = _lines(COMMANDS, shared := _lines(SHARED))
    for name, words in (_lines(PARTS, shared) | commands).items():
        fields: dict[str, Any] = {**head, "task": {"const": name}} if name in commands else {}
        optional = list[str]()
        for word in words:
            key, _, text = word.partition(":")
            optional += [key.removesuffix("?")] * key.endswith("?")
            key = key.removesuffix("?")
            fields[key] = _type(text or usual.get(key, key))
        definitions[name] = _object(fields, optional, is_closed)
    definitions["envelope"] = _object({**head, "task": {"type": "string"}}, (), False)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Objects that Crosslit prints with --json, version {SCHEMA}",
        "description": "The schema of one command has its name: #/$defs/compare, #/$defs/bench-run.",
        "$ref": "#/$defs/envelope",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in commands],
        "$defs": definitions,
    }


def _lines(text: str, shared: Mapping[str, list[str]] | None = None) -> dict[str, list[str]]:
    """Return the words of each line by its name; by default, only earlier lines are shared."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\n +", " ", text).strip().splitlines():
        name, _, keys = line.partition(":")
        known = found if shared is None else shared
        found[name] = [word for key in keys.split() for word in (known[key[1:]] if key[0] == "+" else [key])]
    return found


def _object(fields: Mapping[str, Any], optional: Collection[str], is_closed: bool) -> dict[str, Any]:
    found = {"type": "object", "properties": fields, "required": [key for key in fields if key not in optional]}
    return {**found, "additionalProperties": False} if is_closed else found


def _type(text: str) -> dict[str, Any]:
    """Return the schema of a type as written above."""
    if text.endswith("?"):
        return {"anyOf": [_type(text[:-1]), {"type": "null"}]}
    if text.startswith("["):
        return {"type": "array", "items": _type(text[1:-1])}
    if text.startswith("{"):
        return {"type": "object", "additionalProperties": _type(text[1:-1])}
    return SIMPLE.get(text, {"$ref": f"#/$defs/{text}"})


def _of_hint(hint: Any) -> dict[str, Any]:
    """Return the schema of a field of a record."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": [*arguments]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [*map(_of_hint, arguments)]}
    if origin is list:
        return {"type": "array", "items": _of_hint(*arguments)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of_hint(arguments[1])}
    name = next((name for name, (record, _) in RECORDS.items() if record is hint), None)
    return _type(name or {str: "text", int: "int", bool: "bool", float: "number", Any: "any"}.get(hint, "null"))


def content() -> str:
    """Return the content of the file, with a definition on each line."""
    whole = schema()
    definitions = whole.pop("$defs").items()
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(definition)}" for name, definition in definitions)
    return f'{json.dumps(whole)[:-1]}, "$defs": {{\n{lines}\n}}}}\n'


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m benchmarks.json_schema --write")
    FILE.write_text(content(), encoding="utf-8")
