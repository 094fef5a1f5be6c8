"""Changes of a program's text, each of which must find its place."""


def changed(program, *changes):
    """Return a program's text with these replacements, wherever they are found."""
    return _replaced(program, changes, -1)


def changed_once(program, *changes):
    """Return a program's text with these replacements, each at the first place where it is
    found.
    """
    return _replaced(program, changes, 1)


def _replaced(program, changes, most):
    for old, new in changes:
        assert old in program, f"the program has no {old!r} to change"
        program = program.replace(old, new, most)
    return program
