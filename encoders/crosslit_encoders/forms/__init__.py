"""File forms of finite-domain models: one module each, with the writer and the reader of other solvers' answers.

A form is a module with ``COMMENT``, the sign that begins a comment, ``write(model)``, the lines of the file, and
``read(lines)``, the `Reading` of a solver's output. Variable number i of a model, from 0, is called x(i + 1) in all of
them. ``BOOLEAN`` says that it has no integer variables: then the model goes through `without_integers` first.
"""
