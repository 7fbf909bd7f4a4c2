"""Pure functions from a puzzle to a formula, one module for each family of encodings, and file forms of models.

A module here imports an engine only to build that engine's model. A family, or a form, is one file and one line in
`REGISTERED`; other distributions register families under the entry point group ``crosslit.encoders``.
"""

REGISTERED = {
    "crosslit.encoders": {
        "nonogram-clauses": "crosslit_encoders.nonogram.clauses:ENCODINGS",
        "lights-out": "crosslit_encoders.lights_out.encodings:ENCODINGS",
        "modular-lights-out": "crosslit_encoders.lights_out.modular:ENCODINGS",
        "nonogram-order": "crosslit_encoders.nonogram.order:ENCODINGS",
        "nonogram-models": "crosslit_encoders.nonogram.models:ENCODINGS",
        "nonogram-models-from-cnf": "crosslit_encoders.nonogram.models_from_cnf:ENCODINGS",
    },
    "crosslit.forms": {
        "mzn": "crosslit_encoders.forms.mzn",
        "xcsp3": "crosslit_encoders.forms.xcsp3",
        "asp": "crosslit_encoders.forms.asp",
        "smt2": "crosslit_encoders.forms.smt2",
        "opb": "crosslit_encoders.forms.opb",
        "lp": "crosslit_encoders.forms.lp",
    },
}
"""The lists of encodings, and the modules of file forms."""
