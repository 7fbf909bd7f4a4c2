"""A kind whose puzzles no engine finishes, and which lets no signal through, as an engine in C does."""

from __future__ import annotations

import signal
import time

from formulas import Formula

from crosslit.contract import Encoding
from crosslit.contract.family import Population, RandomFamily


class Endless(Formula):
    """A formula about which a search never ends."""

    kind = "endless"
    plural = "endless formulas"

    @property
    def text(self):
        return f"endless:{self.columns}"

    @classmethod
    def parse(cls, text, _origin="text"):
        return cls(int(text.removeprefix("endless:")), ())

    @classmethod
    def samples(cls):
        return [cls(40, ())]

    @classmethod
    def population(cls):
        return Population([], [RandomFamily("formulas", lambda _: cls.samples()[0])])


def search(formula):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    time.sleep(600)


ENCODINGS = [Encoding("direct", "endless", "cnf", search, frozenset({"endless"}), "no end", default=True)]
