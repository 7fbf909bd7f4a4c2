"""A registered backend as a solver under test, in a separate process, perhaps in another environment."""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from crosslit_backends.programs.protocol import FEWEST

from crosslit import registry
from crosslit.base.errors import InputError, SpecError
from crosslit.kinds import Puzzle
from crosslit_verify import backend_server
from crosslit_verify.cases import Settings, probes
from crosslit_verify.commands import Command
from crosslit_verify.process import MEMORY_MB, TIMEOUT, NoAnswer

_PACKAGES = ("crosslit", "crosslit_backends", "crosslit_encoders", "crosslit_generate", "crosslit_verify")
_SECONDS = 60.0  # for the description: the first start of an environment compiles its modules


class BackendCommand(Command):
    """A backend, by its spec, in a process that speaks the protocol of programs; an exhausted limit ends only that.

    ``python`` is the interpreter, or the folder of an environment, that has the engine; the backend has to support one
    of the ``puzzles``, which are sent first.
    """

    def __init__(
        self,
        spec: str,
        settings: Settings,
        *,
        python: str = "",
        puzzles: Sequence[Puzzle] = (),
        timeout: float = TIMEOUT,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        definition = registry.defined(spec.strip().partition(":")[0].partition("/")[0])
        given = {
            "definition": base64.b64encode(pickle.dumps(definition)).decode() if definition else "",
            "packages": {name: str(Path(import_module(name).__file__ or "").parents[1]) for name in _PACKAGES},
        }
        words = [interpreter(python), "-P", backend_server.__file__]
        question = FEWEST if settings.claims == FEWEST else "solutions"
        super().__init__([*words, json.dumps(given)], settings.claims, timeout=timeout, memory_mb=memory_mb)
        texts = [puzzle.text for puzzle in puzzles or probes(settings)]
        asked = {"spec": spec, "kind": settings.kind, "question": question, "puzzles": texts}
        try:
            found = json.loads(self._exchange(json.dumps(asked).encode() + b"\n", _SECONDS))
        except NoAnswer as error:
            raise InputError(words[0], f"cannot run the backends of Crosslit: {error}") from None
        finally:
            self._lose()  # the first answer may take the time that a start takes
        if "problem" in found:
            raise SpecError(found["problem"])
        self.name = self._spec = spec
        self.description = f"{spec}, {found['version']}{f' in {python}' if python else ''}"

    def _question(self, puzzle: Puzzle) -> bytes:
        return json.dumps(json.loads(super()._question(puzzle)) | {"spec": self._spec}).encode() + b"\n"


def interpreter(python: str) -> str:
    """Return the interpreter that a user named: itself, or of a folder; empty means this one."""
    path = os.path.expanduser(python)  # noqa: PTH111
    return os.path.join(path, "bin", "python") if os.path.isdir(path) else path or sys.executable  # noqa: PTH118
