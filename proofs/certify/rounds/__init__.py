"""Compiled kernels, evaluated on exact data, on tokens and on ordinary numbers, in all rounds of a
loop at once.

    library = with_kernels(library, space)      rounds/kernels.py; None for ordinary numbers
    program = Program(prepared(source), library, ..)      rounds/sections.py

`prepared` puts an import in place of a known section of operations. Rounds of a loop are evaluated
at once where no round reads or writes what another one writes; that is found place by place, and
where it is not so the kernel is evaluated again with that loop in order. A program is compiled to
closures once with a library of any space, and run with the library of each space.
"""
