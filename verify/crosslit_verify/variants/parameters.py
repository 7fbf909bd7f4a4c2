"""Options that an engine lists itself, in place of a list of ours: each may have any value that changes no answer."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import Any
from zlib import crc32

from crosslit.contract.family import pick

LISTINGS = {
    # first-order and quadratic solvers, which are less accurate; files and the log
    "highs": (
        r"""import highspy, re, tempfile
from pathlib import Path
h = highspy.Highs()
h.setOptionValue('output_flag', False)
path = Path(tempfile.mkdtemp(), 'options')
h.writeOptions(str(path))
number = {'true': 1, 'false': 0}
found = re.findall(r'type: (bool|integer),.*range: .(\S+), (\S+)}, default: (\S+)]\n(\w+) =', path.read_text())
answers = []
for kind, *words in found:
  low, high, own = (number.get(word) if kind == 'bool' else int(word) for word in words[:3])
  if high - low < 10:
    answers.append((words[3], [bool(v) if kind == 'bool' else v for v in range(low, high + 1) if v != own]))""",
        "pdlp|hipo|qp_|icrash|log|output|write|solution|report|glpsol|mps_|multi_objectives|timeless",
    ),
    # all but parts of presolve, propagation and search; a tolerance, printing, no branching, an expensive separator
    "scip": (
        """from pyscipopt import Model
answers = []
for name, own in Model().getParams().items():
  if isinstance(own, bool): answers.append((name, [not own]))
  elif name.endswith('/maxrounds'): answers.append((name, [0 if own else -1]))
  elif name.endswith('/freq'): answers.append((name, [1 if own < 0 else -1]))""",
        "^(?!(presolving|propagating|separating|conflict|heuristics|branching|"
        "constraints/(linear|knapsack|logicor|setppc|varbound|xor))/)|"
        "checkrelmaxabs|output|disp|shownbstats|donotbranch|cgmip",
    ),
    # those that stop early, find or keep other solutions, never prove (also by endless probing, or a tree that needs
    # workers), leave variables open, fix hints, abort on purpose or log, and constraints without a propagator
    "cpsat": (
        """from ortools.sat.sat_parameters_pb2 import SatParameters
answers = []
for f in SatParameters.DESCRIPTOR.fields:
  own = f.default_value
  if f.type == f.TYPE_BOOL: answers.append((f.name, [not own]))
  elif f.type == f.TYPE_ENUM and own != []:
    answers.append((f.name, [str(v.number) for v in f.enum_type.values if v.number != own]))
  elif f.name.endswith('_level'): answers.append((f.name, [v for v in range(4) if v != own]))""",
        "stop_after|enumerate|keep_all|fill_|only|instantiate_all|fix_variables|debug|check|output|log|catch|interleave|"
        "disable_constraint_expansion|mip_|probing_search|shared_tree",
    ),
}
"""By the name of an engine, a script that leaves its options, each with other values, and a pattern of unsafe names."""


def common_parameters(
    name: str, options: Iterable[str], executes: Iterable[Callable[[str], list[Any] | str]]
) -> dict[str, list[Any]]:
    """Return the options that all versions of an engine list, given what executes a script in each of them.

    Those of our own list are left out, as are those that may change an answer.
    """
    script, unsafe = LISTINGS[name]
    left_out = re.compile(rf"{unsafe}|^({'|'.join(options)})$")
    first, *others = ({} if isinstance(found, str) else dict(found) for found in (own(script) for own in executes))
    common = {key: own for key, own in first.items() if all(table.get(key) == own for table in others)}
    return {key: own for key, own in common.items() if not left_out.search(key)}


def draw_parameters(rng: random.Random, table: Mapping[str, Sequence[Any]]) -> tuple[tuple[str, Any], ...]:
    """Return one to five options with values; another release, with a few other options, mostly gets the same ones."""
    salt, size = rng.random(), pick(rng, (1, 1, 2, 5))
    names = nsmallest(size, table, key=lambda name: crc32(f"{salt} {name}".encode()))
    return tuple((name, table[name][crc32(f"{salt} {name} value".encode()) % len(table[name])]) for name in names)
