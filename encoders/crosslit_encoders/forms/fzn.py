"""FlatZinc, compiled by MiniZinc from its own language, for ``fzn-gecode FILE`` and other solvers of MiniZinc."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from crosslit.contract import GaveUp
from crosslit_encoders.finite_domain import Model
from crosslit_encoders.forms import mzn
from crosslit_encoders.forms.reading import Reading

COMMENT = "%"
BOOLEAN = False
OMITS_ZEROS = False
TARGETS = ("fd", "linear")
_COMMAND = ("minizinc", "-c", "-G", "std")  # only constraints of the standard library, which every solver has


def write(model: Model) -> Iterator[str]:
    """Yield the lines of the file, if MiniZinc is installed and compiles the model."""
    with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:
        source, target = Path(folder, "model.mzn"), Path(folder, "model.fzn")
        source.write_text("\n".join([*mzn.write(model), *_all_variables(model)]), "ascii")
        try:
            subprocess.run([*_COMMAND, "--fzn", target, source], check=True, capture_output=True)
        except FileNotFoundError:
            raise GaveUp("FlatZinc is compiled by minizinc, which is not on the PATH") from None
        except subprocess.CalledProcessError as error:
            words = error.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
            raise GaveUp(f"minizinc cannot compile the model: {words[-1][:200]}") from None
        text = target.read_text("ascii")
    yield f"{COMMENT} FlatZinc by {' '.join(_COMMAND)}"
    yield from text.splitlines()


def _all_variables(model: Model) -> Iterator[str]:
    # MiniZinc removes variables that are fixed or equal to others. It keeps such places in the output of an array.
    yield f"array[1..{len(model.domains)}] of var int: all;"
    yield f"constraint all = [{','.join(mzn.name(model, place) for place in range(len(model.domains)))}];"


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in the output of a FlatZinc solver."""
    return mzn.read(line.replace("all =", "x =", 1) for line in lines if not line.startswith("x"))
