"""A kind whose puzzles no engine finishes, and which lets no signal through, as an engine in C does."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass

from planted_modular import Modular

from crosslit.contract import Encoding
from crosslit.contract.family import Maker
from crosslit.kinds import Kind


@dataclass(frozen=True, slots=True)
class Endless(Modular):
    """A board of 3 x 6, about which a search never ends."""

    kind = "endless"
    plural = "endless boards"

    @property
    def text(self):
        return f"endless:{'/'.join(self.lights)}"

    @classmethod
    def parse(cls, text):
        return cls(tuple(text.removeprefix("endless:").split("/")))


def search(board):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    time.sleep(600)


SAMPLES = [Endless.parse(f"endless:{'/'.join(['012012'] * 3)}")]
KIND = Kind(puzzle=Endless, samples=lambda: SAMPLES, makers=lambda: [Maker("boards", lambda _: SAMPLES[0])])
ENCODINGS = [Encoding("direct", "endless", "cnf", search, frozenset({"endless"}), "no end", default=True)]
