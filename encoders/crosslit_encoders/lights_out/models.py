"""Lights Out as finite-domain models, and as CP-SAT models made from them."""

from __future__ import annotations

from crosslit.contract import Encoding
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE
from crosslit_encoders.lights_out.chase import TRUSTED_CHASE, hard_reason
from crosslit_encoders.lights_out.chased_models import chased, chased_shared, chased_sums
from crosslit_encoders.lights_out.full_models import automaton, sum_steps, sums, xor

_LIGHTS = frozenset({"light-xors"})
_CHASED = "few presses, on usual boards the first row,"
_MODELS = (
    ("xor", ["linear-xor", "cp-sat"], xor, _LIGHTS, "one parity constraint per light"),
    ("sum", ["linear", "cp-sat"], sums, _LIGHTS, "number of presses = 2 k + lit"),
    ("sum-steps", ["linear"], sum_steps, _LIGHTS, "number of presses = 2 * (true steps) + lit"),
    ("automaton", ["fd", "cp-sat"], automaton, _LIGHTS, "one automaton of two states per light"),
    ("chased", ["linear-xor", "cp-sat"], chased, TRUSTED_CHASE, f"{_CHASED} a parity constraint for each"),
    ("chased-shared", ["cp-sat"], chased_shared, TRUSTED_CHASE | {"xor-shared"}, f"{_CHASED} shared parities"),
    ("chased-sum", ["linear"], chased_sums, TRUSTED_CHASE, f"{_CHASED} number of presses = 2 k + lit"),
)
_DEFAULT = {("xor", "linear-xor"), ("xor", "cp-sat"), ("sum", "linear")}
_DEFAULT_FOR_SOLUTIONS = {("chased", "linear-xor"), ("chased-shared", "cp-sat")}

ENCODINGS = [
    Encoding(
        name=name,
        kind="lights-out",
        target=target,
        encode=encode if target != "cp-sat" else cp_sat_of(encode),
        trusted_base=trusted | {LINEAGE},
        summary=summary,
        default=(name, target) in _DEFAULT,
        default_for=frozenset({"solutions", "count"} if (name, target) in _DEFAULT_FOR_SOLUTIONS else ()),
        hard_reason=hard_reason if name == "chased-shared" else None,
    )
    for name, targets, encode, trusted, summary in _MODELS
    for target in targets
]
