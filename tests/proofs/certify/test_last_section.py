"""main is certified where the last section is known, and finds above it what it takes; and in no
other program.
"""

import pytest

from derive.verdict import Checked, Undecided
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.last_section import MARK, begins_with_arrays, main_of
from proofs.certify.program import ASSUMED
from proofs.certify.scripts.evaluation_jobs import in_pieces
from tests.support.evaluations import evaluated
from tests.support.judged import refuted, verdicts
from tests.support.programs import fft, permute

PIECE, DTYPE = "PIECE = 16384", 'DTYPE = np.dtype("complex128")'


def loaded(program):
    """Return what a program has when it is loaded."""
    return evaluated(program)[0].constants()


def with_line(line):
    """Return a program with a line, or several, right above its last section."""
    return fft().replace(MARK, f"{line}\n{MARK}")


def stating(old, new):
    """Return a program that says something else at one place."""
    assert fft().count(old) == 1
    return fft().replace(old, new)


def within(*statements):
    """Return a program with a function that nobody calls."""
    return with_line("\n    ".join(["def unused():", *statements]))


MEANING, MISSING = "gives {} another meaning", "does not define {} where"
OTHERWISE = {
    "an edited section": (lambda: stating("K >= 1", "K > 0"), "is unknown"),
    "more than the section": (lambda: fft() + "\n", "is unknown"),
    "an assignment": (lambda: with_line("open = len"), MEANING.format("open")),
    "a function": (lambda: with_line("def print(*words): pass"), MEANING.format("print")),
    "a class": (lambda: with_line("class time: pass"), MEANING.format("time")),
    "a loop": (lambda: with_line("for json in (): pass"), MEANING.format("json")),
    "an assignment within": (lambda: with_line("[open := 1 for _ in ()]"), MEANING.format("open")),
    "a name that is deleted": (lambda: with_line("del json"), MEANING.format("json")),
    "an import as": (lambda: with_line("import json as os"), MEANING.format("os")),
    "an import from as": (lambda: with_line("from math import pi as sys"), MEANING.format("sys")),
    "an import of a name": (
        lambda: with_line("from math import pi as open"),
        MEANING.format("open"),
    ),
    "a global": (lambda: within("global open", "open = len"), MEANING.format("open")),
    "a global import": (
        lambda: within("global open", "from os import open"),
        MEANING.format("open"),
    ),
    "a constant that is set later": (lambda: within("global M", "M = 0"), MEANING.format("M")),
    **{
        f"a script that {does} before": (
            lambda line=line: with_line(f"if __name__ == '__main__':\n    {line}"),
            "calls main, or ends, before",
        )
        for does, line in (
            ("calls main", "sys.exit(main(sys.argv[1:]))"),
            ("ends", "raise SystemExit(0 and main())"),
        )
    },
    "a print": (lambda: with_line("print(N)"), "the program prints among what main prints"),
    "mpi4py": (lambda: with_line("from mpi4py import MPI"), "which starts MPI; import it in main"),
    "no module": (lambda: stating("import json\n", ""), MISSING.format("json")),
    "a module that may be missing": (
        lambda: stating("import json\n", "if True:\n    import json\n"),
        MISSING.format("json"),
    ),
    "no piece": (lambda: stating(PIECE, "LENGTH = 4"), MISSING.format("PIECE")),
    "no index": (
        lambda: stating(
            "output_place, output_index = input_place, input_index", "output_place = input_place"
        ),
        MISSING.format("output_index"),
    ),
    "an index that may be missing": (
        lambda: stating(
            "output_place, output_index = input_place, input_index",
            "output_place = input_place\nif N == 0:\n    output_index = input_index",
        ),
        MISSING.format("output_index"),
    ),
    **{
        f"a piece of {piece}": (
            lambda piece=piece: stating(PIECE, f"PIECE = {piece}"),
            f"PIECE = {piece}: it must be an integer",
        )
        for piece in ("-1", "0", "4.0", "True", "2 * 8", "np.int64(4)")
    },
    "a size of numpy's type": (
        lambda: with_line("N = np.int64(N)"),
        "N must be np.dtype(..), a text",
    ),
    "a piece that changes": (lambda: with_line("PIECE -= 16384"), "PIECE = 16384: it must be"),
    "a piece among others": (
        lambda: stating(PIECE, "PIECE, LENGTH = 4, 4"),
        "PIECE = : it must be an integer",
    ),
    "a type that is a text": (
        lambda: stating(DTYPE, 'DTYPE = "complex128"'),
        "DTYPE = 'complex128': it must be np.dtype(",
    ),
    "a type that becomes a text": (
        lambda: stating(DTYPE, f"{DTYPE}.str"),
        "DTYPE = np.dtype('complex128').str: it must be np.dtype(",
    ),
    "a type that numpy takes": (
        lambda: stating(DTYPE, "DTYPE = np.complex128"),
        "DTYPE = np.complex128: it must be np.dtype(",
    ),
}
"""What a program may have in place of what it was emitted with, and what is said of its main."""


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", OTHERWISE)
def test_main_is_not_certified_where_its_section_finds_something_else(name):
    program, words = OTHERWISE[name][0](), OTHERWISE[name][1]
    verdict = main_of(program, loaded(program))
    assert isinstance(verdict, Undecided)
    assert words in verdict.reason


MAIN = "def main(arguments):\n    return 0\n"
STARTS = "if __name__ == '__main__':\n    print(N)\n"


@pytest.mark.parametrize(
    ("main", "words"),
    [
        ("", "the program has no main"),
        (MAIN, "main is the program's own code"),
        (STARTS, "main is the program's own code"),
    ],
)
def test_main_is_not_certified_where_there_is_no_section(main, words):
    verdict = main_of(f"{fft().partition(MARK)[0]}\n{main}", loaded(fft()))
    assert isinstance(verdict, Undecided)
    assert verdict.reason == f"main not certified: {words}"


def test_main_is_not_certified_where_the_text_above_its_section_is_no_python_by_itself():
    verdict = main_of(with_line("@staticmethod"), loaded(fft()))
    assert isinstance(verdict, Undecided)
    assert "is not valid Python: " in verdict.reason


@pytest.mark.parametrize(
    "program",
    [
        fft(),
        fft(64, 2, dtype="complex64", kernels="numba"),
        permute("bit-reversal", 16, 4, dtype="i4,f8"),
        stating(PIECE, "PIECE = 1"),
        with_line("print(N, file=sys.stderr)"),
        with_line("def unused():\n    open = json = PIECE = 1\n    return open, json, PIECE"),
    ],
)
def test_main_is_certified_where_it_finds_what_it_takes(program):
    assert isinstance(main_of(program, loaded(program)), Checked)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("AXES = (-1,)", "AXES = (1,)", "AXES = (1,): with a batch, axes are counted from"),
        ("INPUT_DTYPE, OUTPUT_DTYPE = DTYPE,", "INPUT_DTYPE, OUTPUT_DTYPE = complex,", "must be"),
    ],
)
def test_main_is_not_certified_where_it_takes_constants_otherwise(old, new, words):
    program = fft(96, 2, shape=(8, 6), grid=(2, 1), batch=2, axes="1")
    assert isinstance(main_of(program, loaded(program)), Checked)
    assert old in program
    verdict = main_of(wrong := program.replace(old, new), loaded(wrong))
    assert isinstance(verdict, Undecided)
    assert words in verdict.reason


def test_main_is_not_certified_with_the_section_of_another_kind():
    other = fft().partition(MARK)[0] + MARK + permute("bit-reversal", 16, 4).partition(MARK)[2]
    verdict = main_of(other, loaded(fft()))
    assert isinstance(verdict, Undecided)
    assert "that of permute, and the program is of kind fft" in verdict.reason


def test_main_is_not_certified_where_a_program_is_loaded_as_another_one():
    for name, value in (("PIECE", 4), ("PIECE", "16384"), ("DTYPE", "complex128")):
        said = loaded(fft())
        said["constants"][name] = value
        assert isinstance(main_of(fft(), said), Undecided), name


def test_a_certificate_says_so():
    assert [each for each in ASSUMED if "the verdict `main` says" in each]
    found = verdicts(stating(DTYPE, 'DTYPE = "complex128"'), short=True)
    assert isinstance(found["main"], Undecided)
    assert isinstance(verdicts(fft(), short=True)["main"], Checked)


INDEX = "    return rank * 4 + o\n"
INDICES = {
    "right for all offsets at once": (PIECE, "rank * 4 + np.arange(len(o))"),
    "right for pieces from some offsets on": ("PIECE = 4", "rank * 4 + np.minimum(o, o[0] + 1)"),
    "right for more offsets than one": (PIECE, "rank * 4 + o * (len(o) > 1)"),
    "right for the pieces that main does not ask for": (
        "PIECE = 3",
        "rank * 4 + o * (len(o) != 3)",
    ),
    "an index for some": (PIECE, "rank * 4 + o[:1]"),
    "no integers": (PIECE, "rank * 4.0 + o"),
    "of offsets that it changes": (PIECE, "np.add(o, rank * 4, out=o)"),
}
"""Indices of elements that are wrong in a way, beside the length of pieces."""


@pytest.mark.parametrize("name", INDICES)
def test_indices_are_right_in_whatever_pieces_they_are_asked_for(name):
    piece, index = INDICES[name]
    program = stating(PIECE, piece).replace(INDEX, f"    return {index}\n")
    assert list(refuted(program)) == ["layout"]


def test_a_single_offset_has_an_index_in_an_array():
    program = permute("bit-reversal", 4, 4)
    own = program.replace(MARK, f"def input_index(rank, o):\n    return rank\n\n\n{MARK}")
    assert "input_index of 1 offsets gives int64 of shape ()" in refuted(own)["layout"]


@pytest.mark.parametrize("M", range(1, 9))
@pytest.mark.parametrize("piece", [1, 2, 3, 100, None])
def test_pieces_are_all_offsets_one_after_the_other(M, piece):
    for pieces in in_pieces(M, piece):
        assert [offset for o in pieces for offset in o.tolist()] == list(range(M))
        assert all(len(o) for o in pieces)


GUARDED = {
    "another status": ("    sys.exit(2)\n\nTRANSFORM", "    sys.exit(0)\n\nTRANSFORM"),
    "a wait": (
        "        from mpi4py import MPI\n    except (",
        "        time.sleep(9)\n    except (",
    ),
    "another try within a condition": (
        "PIECE = ",
        "if True:\n    try:\n        pass\n    except OSError:\n        sys.exit(0)\nPIECE = ",
    ),
    "ranks that do not hear of it": ("    MPI.COMM_WORLD.allgather(problem)\n", ""),
    "an import of a program that ends": ('    if __name__ != "__main__":\n        raise\n', ""),
}


@pytest.mark.parametrize("kernels", ["numba", "pyfftw"])
def test_what_a_program_does_without_its_library_is_known_by_its_digest(kernels):
    program = fft(kernels=kernels)
    assert isinstance(main_of(program, loaded(program)), Checked)
    for old, new in GUARDED.values():
        assert program.count(old) == 1
        found = main_of(program.replace(old, new), loaded(program))
        assert isinstance(found, Undecided) and "missing library" in str(found)


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("inner = transform\ntransform = lambda x, plan, out=None: inner(x + 0, plan, out)", False),
        ("inner = transform\nfor transform in [inner]:\n    pass", False),
        ("from operator import add as transform", False),
        ("other = transform", True),
    ],
)
def test_transform_begins_with_arrays_only_where_no_other_value_has_its_name(line, begins):
    assert begins_with_arrays(Text.read("prog.py", with_line(line))) == begins
