"""Pure functions from a puzzle to a formula, one module for each family of encodings.

A module here imports an engine only to build that engine's model. A family is one file and one line in `REGISTERED`;
other distributions register theirs under the entry point group ``crosslit.encoders``.
"""

REGISTERED = {
    "crosslit.encoders": {
        "coloured-nonogram-cnf": "crosslit_encoders.coloured_nonogram.cnf:ENCODINGS",
        "coloured-nonogram-models": "crosslit_encoders.coloured_nonogram.models:ENCODINGS",
        "lights-out-cnf": "crosslit_encoders.lights_out.cnf:ENCODINGS",
        "lights-out-models": "crosslit_encoders.lights_out.models:ENCODINGS",
        "modular-lights-out": "crosslit_encoders.modular_lights_out.encodings:ENCODINGS",
        "nonogram-order": "crosslit_encoders.nonogram.order:ENCODINGS",
        "nonogram-order-cover": "crosslit_encoders.nonogram.order_cover:ENCODINGS",
        "nonogram-direct": "crosslit_encoders.nonogram.direct:ENCODINGS",
        "nonogram-automaton": "crosslit_encoders.nonogram.automaton:ENCODINGS",
        "nonogram-table": "crosslit_encoders.nonogram.table:ENCODINGS",
        "nonogram-models": "crosslit_encoders.nonogram.models:ENCODINGS",
        "nonogram-models-from-cnf": "crosslit_encoders.nonogram.models_from_cnf:ENCODINGS",
    },
}
"""The lists of encodings."""
