"""A kind whose puzzles no engine finishes, and which lets no signal through, as an engine in C does."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass

from planted_modular import Modular

from crosslit.contract import Encoding
from crosslit.contract.family import Maker
from crosslit.contract.puzzle import Population


@dataclass(frozen=True, slots=True)
class Endless(Modular):
    """A board of 3 x 6, about which a search never ends."""

    kind = "endless"
    plural = "endless boards"

    @property
    def text(self):
        return f"endless:{'/'.join(self.lights)}"

    @classmethod
    def parse(cls, text, _origin="text"):
        return cls(tuple(text.removeprefix("endless:").split("/")))

    @classmethod
    def samples(cls):
        return [cls(("012012",) * 3)]

    @classmethod
    def population(cls):
        return Population([], [Maker("boards", lambda _: cls.samples()[0])])


def search(board):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    time.sleep(600)


ENCODINGS = [Encoding("direct", "endless", "cnf", search, frozenset({"endless"}), "no end", default=True)]
