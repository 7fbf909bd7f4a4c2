"""The display of puzzles and results, by layers above those that define them.

`crosslit/__init__.py` sets both functions; each imports its module when something is shown for the first time.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

picture: Callable[[Any], Any]
"""Return the picture of a grid or a puzzle."""

report: Callable[[Any], Any]
"""Return the report on a comparison."""
