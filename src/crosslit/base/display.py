"""Displays in notebooks and by `print`: pictures and reports, made by layers above.

`crosslit/__init__.py` sets both functions; each imports its module when something is shown for the first time.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `import crosslit` loads this module, so it does without `typing`

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

picture: Callable[[Any], Any]
"""Return the picture of a grid or a puzzle."""

report: Callable[[Any], Any]
"""Return the report on a comparison."""
