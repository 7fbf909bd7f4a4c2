"""The backends: one module for each native solver or family of engines.

Their only interface to the rest of Crosslit is `crosslit.contract.Backend`. The registry finds them through the entry
point group ``crosslit.backends``.
"""
