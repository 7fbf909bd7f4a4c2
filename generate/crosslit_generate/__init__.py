"""The only source of puzzles: exhaustive families, random puzzles, puzzles with given properties, variants.

Equal seeds give equal puzzles on every machine. This package must not import an engine, or use any method of a random
number generator except `random()`, the only one whose results Python guarantees. Its public names are imported when
they are first used, so that the help of its commands is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosslit.base.deferred import importer

if TYPE_CHECKING:
    from crosslit_generate.exhaustive import ONLY as ONLY
    from crosslit_generate.exhaustive import Case as Case
    from crosslit_generate.exhaustive import Family as Family
    from crosslit_generate.exhaustive import Only as Only
    from crosslit_generate.exhaustive import families as families
    from crosslit_generate.stream import cases as cases

_NAMES = {
    "crosslit_generate.exhaustive": "ONLY Case Family Only families",
    "crosslit_generate.stream": "cases",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_HOMES)

if not TYPE_CHECKING:  # with it, a type checker would accept every name
    __getattr__ = importer(globals(), _HOMES)
