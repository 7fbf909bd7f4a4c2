"""Pure functions from a puzzle to a formula, one module for each family of encodings.

A module here imports an engine only to build that engine's model. A family is one file and one line in `REGISTERED`;
other distributions register theirs under the entry point group ``crosslit.encoders``.
"""

REGISTERED = {
    "crosslit.encoders": {
        "coloured-nonogram": "crosslit_encoders.nonogram.coloured:ENCODINGS",
        "lights-out": "crosslit_encoders.lights_out.encodings:ENCODINGS",
        "modular-lights-out": "crosslit_encoders.lights_out.modular:ENCODINGS",
        "nonogram-order": "crosslit_encoders.nonogram.order:ENCODINGS",
        "nonogram-order-cover": "crosslit_encoders.nonogram.cnf:ORDER_COVER",
        "nonogram-direct": "crosslit_encoders.nonogram.cnf:DIRECT",
        "nonogram-automaton": "crosslit_encoders.nonogram.cnf:AUTOMATON",
        "nonogram-table": "crosslit_encoders.nonogram.cnf:TABLE",
        "nonogram-models": "crosslit_encoders.nonogram.models:ENCODINGS",
        "nonogram-models-from-cnf": "crosslit_encoders.nonogram.models_from_cnf:ENCODINGS",
    },
}
"""The lists of encodings."""
