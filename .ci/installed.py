"""The first steps of an installed wheel: its kernel is the one that its name promises, and it solves.

    python .ci/installed.py compiled|none

It solves in this process, which works on every system.
"""

import sys

import crosslit
from crosslit.registry import backends

(line,) = backends("line")
version = line["version"]
if f"kernel: {sys.argv[1]}" not in version:
    sys.exit(f"expected kernel: {sys.argv[1]}, found {version}")
for puzzle in ("10/11", "1,2|2,1"):
    print(f"{puzzle}: {crosslit.solve(puzzle)}")
print(f"{crosslit.__file__}: {version}")
