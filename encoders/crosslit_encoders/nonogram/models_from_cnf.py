"""Nonograms as CP-SAT models made from the clauses of a CNF encoding.

In a module of their own, since neither the clauses nor the other models may rest on each other.
"""

from __future__ import annotations

from crosslit.contract import Encoding
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE
from crosslit_encoders.nonogram.order import order

ENCODINGS = [
    Encoding(
        name="order",
        kind="nonogram",
        target="cp-sat",
        encode=cp_sat_of(order),
        trusted_base=frozenset({"nonogram-order", LINEAGE}),
        summary="the clauses of the order encoding",
    )
]
