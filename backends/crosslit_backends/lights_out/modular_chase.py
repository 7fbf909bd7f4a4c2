"""Elimination of the equations that a chase leaves, modulo each prime power that divides k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosslit.contract import Backend
from crosslit.kinds import LightsOut
from crosslit_backends.lights_out.smith import Smith

if TYPE_CHECKING:
    from crosslit_backends.lights_out.smith import Matrix


class ModularChase(Smith):
    """The equations of `crosslit_encoders.lights_out.sums`, solved as by `smith`.

    It shares no code with `gauss`, so the two check each other on boards of two states and any rules.
    """

    name = "modular-chase"
    summary = "Lights Out, also modular: elimination modulo each prime power, one unknown per column of usual boards"
    kinds = frozenset({"modular-lights-out", "lights-out"})
    trusted_base = frozenset({"modular-sums", "chase", "smith"})
    max_cells = 40_000

    def _system(self, puzzle: LightsOut) -> tuple[Matrix, Matrix]:
        from crosslit_encoders.lights_out.sums import chase  # imports numpy, which loading must not

        return chase(puzzle)[:2]


BACKENDS: list[Backend] = [ModularChase()]
