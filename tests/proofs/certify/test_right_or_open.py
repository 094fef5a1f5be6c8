"""Programs by hand that do what their contract leaves open: right ones hold, with words that say
what is open, and wrong neighbours do not.
"""

from __future__ import annotations

import pytest

from proofs.certify.checks.layout_check import layout
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.evaluation import Evaluation, declaration_of
from proofs.certify.failures import Wrong as Refused
from proofs.certify.program import decided
from tests.support.by_hand import Wrong, edited, gathered, right
from tests.support.certified import fate_of
from tests.support.refused import HOLDS, REFUTED, UNDECIDED

PLACE = "def output_place(k):\n    return np.divmod(k, M)\n"


def with_change(old, new):
    """Return the program with a change of lines that it has once."""
    return edited(gathered(), Wrong(old, new))


def certificate_of(source, folder):
    """Return the certificate of a program, which is not run on ranks."""
    path = folder / "prog.py"
    path.write_text(source, encoding="utf-8")
    return decided(path, ran=0)


def places(*lines):
    """Return the program with these lines in output_place."""
    body = "".join(f"    {line}\n" for line in lines)
    return with_change(PLACE, f"def output_place(k):\n{body}")


RANK = "rank = (np.asarray(k) // M).astype(int)"
PARTS = {
    (RANK, "return rank, k % M"): "",
    (RANK, "return rank, k - rank * M"): "output_place of uint64 indices gives floats; convert",
    (RANK, "return rank, np.arange(M)[k - rank * M]"): "of uint64 indices raises line 18: IndexErr",
}
"""Places whose parts have two types of integers, and what is open of them."""


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("lines", "words"), PARTS.items())
def test_a_rank_and_an_offset_may_have_different_types(lines, words, tmp_path, nodewright):
    certificate = certificate_of(places(*lines), tmp_path)
    assert certificate.holds
    assert words in certificate.verdicts["contract"].reason
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0


SIZES = {
    "return np.divmod(k ^ (np.size(k) == 50), M)": "line 17: output_place asks how many indices",
    "return np.divmod(k + 0 * np.zeros(np.shape(k), int), M)": "",
}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("line", "words"), SIZES.items())
def test_a_place_that_asks_how_many_indices_there_are_is_left_open(line, words, tmp_path):
    found = fate_of(places(line), tmp_path)
    assert found.fate == HOLDS
    assert words in found.reasons["contract"]
    assert words or "asks how many" not in found.reasons["contract"]


AXES = {
    "np.shape(row) != np.shape(column)": "that numpy broadcasts is another",
    "getattr(row, 'dtype', 0) == np.int8": "of an index of int8 for each axis",
    "isinstance(row, np.uint16)": "of an index of uint16 for each axis",
}


@pytest.mark.parametrize(("wrong", "words"), AXES.items())
def test_indices_for_each_axis_have_any_type_and_broadcast(wrong, words, tmp_path):
    source = right("one_axis_of_two")
    begins = "    return row // 4, row % 4 * 5 + column\n"
    assert source.count(begins) == 1
    found = fate_of(
        source.replace(begins, f"    row = row * (1 - (len(index) == 2 and {wrong}))\n{begins}"),
        tmp_path,
    )
    assert (found.fate, found.verdicts) == (REFUTED, ("layout",))
    assert words in found.reason


FLAT = ("*index", "j")
ROW = (
    "row, column = index if len(index) == 2 else (index[0] // SHAPE[1], index[0] % SHAPE[1])",
    "row, column = divmod(j, SHAPE[1])",
)


def test_a_location_of_the_flat_index_alone_leaves_the_contract_open():
    source = right("grid_of_ranks")
    for old, new in (FLAT, ROW):
        source = source.replace(old, new)
    evaluation = Evaluation(Text.read("prog.py", source))
    d, _ = declaration_of(evaluation)
    assert layout(evaluation, d, "").holds
    assert any("input_place of an index for each axis raises" in e for e in evaluation.breaches)
    wrong = Evaluation(Text.read("prog.py", source.replace("j, SHAPE[1])", "j, SHAPE[0])")))
    with pytest.raises(Refused, match="input_place\\(8\\) = \\(0, 8\\)"):
        layout(wrong, d, "")


FOUR = "1 if np.ndim(k) == 4 else 0"
OF_INT32 = "1 if isinstance(k, np.ndarray) and not k.ndim and k.dtype == np.int32 else 0"
NO_AXIS = "1 if isinstance(k, np.ndarray) and k.ndim == 0 else 0"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (FOUR, "of four axes"),
        (NO_AXIS, "of an array without an axis"),
        (OF_INT32, "of an array without an axis"),
    ],
)
def test_a_place_that_is_another_by_the_number_of_axes_is_refuted(how, words, tmp_path):
    found = fate_of(places(f"return np.divmod(k ^ ({how}), M)"), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("layout",))
    assert words in found.reason


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(
    "lines",
    [
        ("k = k if isinstance(k, int) else np.atleast_1d(k)",),
        ("assert not isinstance(k, np.ndarray) or k.ndim",),
    ],
)
def test_an_array_of_indices_without_an_axis_may_be_refused(lines, tmp_path):
    lines = (*lines, "k = k if np.ndim(k) else int(k)", "return np.divmod(k, M)")
    certificate = certificate_of(
        places("k = int(k) if isinstance(k, np.int64) else k", *lines), tmp_path
    )
    assert certificate.holds
    assert "np.array(0), is not a location" in certificate.verdicts["contract"].reason


def test_a_rank_may_be_one_number_for_all_where_there_is_one(tmp_path):
    source = with_change(SIZES, "N, P, M = 16, 1, 16\n")
    certificate = certificate_of(source.replace("np.divmod(k, M)", "0, k"), tmp_path)
    assert certificate.holds
    words = "output_place of an array gives one number for all; np.full_like(j, 0) is an array"
    assert words in certificate.verdicts["contract"].reason
    found = fate_of(source.replace("np.divmod(k, M)", "0, 0"), tmp_path)
    assert found.verdicts == ("layout",)


@pytest.mark.parametrize(
    "lines",
    [
        (RANK, "return rank, k % M ^ 1"),
        (RANK, "return rank, (k - rank * M) * (1 - 2 * (np.asarray(k).dtype == np.uint64))"),
        ("return np.floor(k / M), k % M",),
        ("return k >= M, k % M == 1",),
    ],
)
def test_a_place_that_is_another_or_no_integer_is_refuted(lines, tmp_path):
    found = fate_of(places(*lines), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("layout",))


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(
    "which",
    [
        "isinstance(k, np.int32) and k == 5",
        "isinstance(k, np.uint16) and k == 7",
        "isinstance(k, np.ndarray) and k.ndim == 0 and k.dtype == np.uint32",
        "np.ndim(k) == 0 and np.asarray(k).dtype.char == 'q'",
        "np.ndim(k) > 0 and k.dtype.char == 'Q'",
    ],
)
def test_a_place_that_is_another_for_a_type_of_integers_is_refuted(which, tmp_path):
    found = fate_of(places(f"return np.divmod(0 * k if {which} else k, M)"), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("layout",))


INT = "    rank = rank if {} else 0\n"
NO_INT = "    if not isinstance(rank, int):\n        raise TypeError(rank)\n"
SHAPES = {
    INT.format("isinstance(rank, int)"): "local_shape(np.int32(",
    INT.format("not isinstance(rank, np.int64)"): "local_shape(np.int64(",
    NO_INT: "",
    INT.format("not isinstance(rank, np.uint8)"): "",
}


@pytest.mark.parametrize(("lines", "words"), SHAPES.items())
def test_the_shape_of_a_part_is_that_for_an_integer_of_numpy(lines, words):
    begins = "def local_shape(rank):\n"
    source = edited(right("slabs_uneven"), Wrong(begins, f"{begins}{lines}"))
    evaluation = Evaluation(Text.read("prog.py", source))
    d, _ = declaration_of(evaluation)
    if words:
        with pytest.raises(Refused) as caught:
            layout(evaluation, d, "")
        assert words in caught.value.counterexample
        return
    assert layout(evaluation, d, "").holds
    assert any("local_shape(np." in each for each in evaluation.breaches)


BODY = """    if out is None:
        return mine.copy()
    out[...] = mine
    return out
"""
SHARED = "two plans that are alive share an array that transforms change"
ROOM = "np.zeros(N, dtype=DTYPE)"
CACHED = f"@functools.cache\ndef room():\n    return {ROOM.replace('zeros', 'empty')}"
ROOMS = {
    (f"ROOM = {ROOM}", "ROOM"): True,
    (CACHED, "room()"): True,
    (f"ROOM = {ROOM}", f"ROOM + {ROOM}"): False,
    (CACHED, "room().copy()"): False,
}
"""What a module has for all plans, which array each plan has, and whether it is one for all."""


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("room", "is_shared"), ROOMS.items())
def test_plans_that_share_an_array_leave_the_contract_open(room, is_shared, tmp_path, nodewright):
    defined, used = room
    source = with_change("self.whole = np.empty(N, dtype=DTYPE)", f"self.whole = {used}")
    source = source.replace("class Plan:", f"{defined}\n\n\nclass Plan:")
    source = source.replace("import numpy", "import functools\n\nimport numpy", 1)
    certificate = certificate_of(source, tmp_path)
    assert certificate.holds
    assert (SHARED in certificate.verdicts["contract"].reason) == is_shared
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0


HEAD = "def transform(x, plan, out=None):"
NO_OUT = (
    (HEAD, "def transform(x, plan):", "an array as out: TypeError: transform() got an unexpected"),
    (HEAD, "def transform(x, plan, *, out=None):", "out as the third argument: TypeError"),
    (
        BODY,
        "    if out is not None:\n        raise ValueError('no out')\n    return mine.copy()\n",
        "an array as out: ValueError: no out (line 46); write transform(x, plan, out=None), and",
    ),
)
"""Transforms that refuse `out`, and how."""


def without_out(old, new, mine="mine"):
    """Return the program with this change; without the argument it returns a new array."""
    source = with_change(old, new)
    source = source.replace("mine.copy()", f"{mine}.copy()")
    return source if "out" in new else source.replace(BODY, f"    return {mine}.copy()\n")


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("old", "new", "words"), NO_OUT)
def test_a_program_that_refuses_out_holds_but_for_its_contract(
    old, new, words, tmp_path, nodewright
):
    certificate = certificate_of(without_out(old, new), tmp_path)
    assert certificate.holds
    assert f"transform refuses {words}" in certificate.verdicts["contract"].reason
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0


@pytest.mark.parametrize(("old", "new", "words"), NO_OUT)
def test_a_program_that_refuses_out_and_is_wrong_is_refuted(old, new, words, tmp_path):
    assert fate_of(without_out(old, new, "mine[::-1]"), tmp_path).verdicts == ("function",)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "    if out is not None and plan.own.rank == 1:\n        raise ValueError('no out')\n",
        "    if out is not None:\n        return undefined\n",
    ],
)
def test_an_out_that_is_ignored_or_refused_on_one_rank_or_by_mistake_is_refuted(body, tmp_path):
    found = fate_of(with_change(BODY, f"{body}    return mine.copy()\n"), tmp_path)
    assert found.verdicts == ("contract",)


NONE = BODY.replace("    return out\n", "    return None\n")


@pytest.mark.parametrize("body", [NONE, NONE.replace("    return None\n", "")])
def test_an_out_that_is_filled_and_not_returned_leaves_the_contract_open(body, tmp_path):
    found = fate_of(with_change(BODY, body), tmp_path)
    assert found.fate == HOLDS
    words = "transform(.., out=y) fills y and returns None; it is to return y: return out"
    assert words in found.reasons["contract"]


@pytest.mark.parametrize("filled", ["mine[::-1]", "out"])
def test_an_out_that_is_filled_with_something_else_is_refuted(filled, tmp_path):
    found = fate_of(with_change(BODY, NONE.replace("= mine", f"= {filled}")), tmp_path)
    assert found.fate == REFUTED


GATHER = "    plan.own.Allgather(np.ascontiguousarray(x), plan.whole)\n"
TURNED = "    x = x if {} else x[::-1]\n"
PLAIN = "x and out are plain numpy arrays of the declared dtype, aligned and in native byte order"
ASKED = {
    "x.flags.aligned": ".aligned",
    "x.flags.carray or not x.flags.carray": ".carray",
    "x.dtype.str == '<c16'": ".dtype",
    "x.dtype == DTYPE": ".dtype",
    "type(x) is np.ndarray": "type",
    "not isinstance(x, list)": "isinstance",
    "getattr(x.flags, 'aligned')": ".aligned",
    "(flags := x.flags) and flags.aligned": ".aligned",
    "[kind(x) for kind in (type,)] == [np.ndarray]": "type",
    "not any(map(lambda kind: isinstance(x, kind), [list]))": "isinstance",
    "getattr(x, 'ndim', None) == 1": "getattr",
    "np.iscomplexobj(x)": "iscomplexobj",
}
"""What a program may ask of an array, and its name; the answer is that for arrays as assumed."""


def assumption(certificate, beginning):
    """Return the one assumption that begins with these words."""
    [found] = [words for words in certificate.assumed if words.startswith(beginning)]
    return found


def test_what_a_program_asks_of_an_array_is_assumed(tmp_path, nodewright):
    source = with_change(GATHER, "".join(map(TURNED.format, ASKED)) + GATHER)
    certificate = certificate_of(source, tmp_path)
    assert certificate.holds
    words = assumption(certificate, PLAIN)
    asked = [f"{name} (line {line})" for line, name in enumerate(ASKED.values(), 41)]
    assert [name for name in asked if name not in words] == []
    certificate.save()
    path = tmp_path / "prog.py"
    assert nodewright("certify", "--verify", str(path))[0] == 0
    saved = tmp_path / "prog.cert.json"
    saved.write_text(saved.read_text("utf-8").replace("plain numpy", "numpy"), encoding="utf-8")
    assert nodewright("certify", "--verify", str(path))[0] != 0


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("asked", ASKED)
def test_a_wrong_result_for_an_array_as_assumed_is_refuted(asked, tmp_path):
    turned = f"    x = x[::-1] if {asked} else x\n"
    found = fate_of(with_change(GATHER, turned + GATHER), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("function",))


@pytest.mark.parametrize(
    "asked",
    [
        *("x.base is None", "x.ctypes.data % 16 == 0", "x.dtype.isnative", "x.flags['ALIGNED']"),
        *("x.dtype.byteorder == '='", "x.__array_interface__", "x.flags.behaved", "x.strides"),
    ],
)
def test_what_else_a_program_asks_of_an_array_is_undecided_by_its_name(asked, tmp_path):
    found = fate_of(with_change(GATHER, TURNED.format(asked) + GATHER), tmp_path)
    assert found.fate == UNDECIDED
    assert found.reason.startswith("line 41: ")


@pytest.mark.long
def test_where_a_program_asks_for_nan_is_assumed_with_its_lines(tmp_path, nodewright):
    guards = (
        "    if np.isnan(x).any():\n        raise ValueError\n    assert np.isfinite(x).all()\n"
    )
    certificate = certificate_of(with_change(GATHER, guards + GATHER), tmp_path)
    assert certificate.holds
    words = assumption(certificate, "x has no NaN and no infinity")
    assert "nothing that is computed from it overflows" in words
    assert "alone leaves the others waiting" in words
    assert words.endswith("asks for isnan (line 41), isfinite (line 43)")
    words = assumption(certificate, "Python is started without -O")
    assert words.endswith("asks for assert (line 43)")
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0
    other = guards.replace(".any()", ".any() or True")
    found = fate_of(with_change(GATHER, other + GATHER), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("function",))


@pytest.mark.long
def test_an_alias_of_what_asks_for_nan_makes_no_difference(tmp_path):
    imports = "import numpy as numbers\nfrom numpy import isnan as f\nimport numpy as np\n"
    names = ("np.isnan", "f", "numbers.isnan", "getattr(np, 'isnan')")
    guards = "".join(f"    if {name}(x * 2).any():\n        x = x[::-1]\n" for name in names)
    source = with_change(GATHER, guards + GATHER).replace("import numpy as np\n", imports)
    certificate = certificate_of(source, tmp_path)
    assert certificate.holds
    asked = ", ".join(f"isnan (line {line})" for line in (43, 45, 47, 49))
    assert assumption(certificate, "x has no NaN").endswith(f"asks for {asked}")


@pytest.mark.long
def test_what_is_asked_where_only_a_long_check_comes_is_assumed(tmp_path, nodewright):
    asking = (
        "    if out is not None and np.isnan(x).any() and type(x) is list:\n        x = x[::-1]\n"
    )
    certificate = certificate_of(with_change(GATHER, asking + GATHER), tmp_path)
    assert certificate.holds
    assert assumption(certificate, "x has no NaN").endswith("asks for isnan (line 41)")
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0


@pytest.mark.long
def test_a_certificate_that_leaves_out_what_a_program_asks_is_not_its_own(tmp_path, nodewright):
    guard = "    assert not np.isnan(x).any() and type(x) is np.ndarray\n"
    certificate = certificate_of(with_change(GATHER, guard + GATHER), tmp_path)
    certificate.save()
    path, saved = tmp_path / "prog.py", tmp_path / "prog.cert.json"
    text = saved.read_text("utf-8")
    for asked in ("isnan (line 41)", "type (line 41)"):
        assert f"; the program asks for {asked}" in text
        saved.write_text(text.replace(f"; the program asks for {asked}", ""), encoding="utf-8")
        assert nodewright("certify", "--verify", str(path))[0] != 0


@pytest.mark.long
def test_the_import_of_a_module_that_main_alone_uses_is_assumed_to_change_nothing(tmp_path):
    importing = "import numpy as np\nfrom pathlib import Path\nimport matplotlib.pyplot as plt\n"
    certificate = certificate_of(with_change("import numpy as np\n", importing), tmp_path)
    assert certificate.holds
    ends = "ends without an error and changes nothing that the program uses"
    assert [words for words in certificate.assumed if words.startswith("the import of")] == [
        f"the import of {name} (line {line}) {ends}"
        for name, line in (("pathlib.Path", 4), ("matplotlib.pyplot", 5))
    ]


@pytest.mark.parametrize(
    "handler",
    [
        'except ImportError:\n    OPTIONS["norm"] = "ortho"\n',
        "except ImportError:\n    np.fft.fft = None\n",
        "except ValueError:\n    pass\n",
    ],
)
def test_what_is_done_where_a_module_is_missing_is_not_left_out(handler, tmp_path):
    importing = 'import numpy as np\nOPTIONS = {"norm": "backward"}\ntry:\n    import msvcrt\n'
    source = with_change("import numpy as np\n", importing + handler)
    found = fate_of(source, tmp_path)
    assert found.fate == UNDECIDED
    assert "msvcrt" in found.reason


TYPES = """from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path
"""


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("imports", "main"),
    [
        (TYPES, "def main(path: 'Path | None' = None):"),
        (f"from __future__ import annotations\n{TYPES}", "def main(path: Path | None = None):"),
        ("import numpy as np\nfrom pathlib import Path\n", "def main(path=Path('.')):"),
        ("import numpy as np\nfrom pathlib import Path\n", "def main(*, path: Path = Path('.')):"),
    ],
)
def test_imports_for_types_and_paths_of_main_are_left_out(imports, main, tmp_path):
    source = with_change("def main():", main)
    assert fate_of(source.replace("import numpy as np\n", imports), tmp_path).fate == HOLDS


@pytest.mark.parametrize(
    ("imports", "main"),
    [
        (TYPES, "def main(path: Path | None = None):"),
        (TYPES, "def main(path=Path('.')):"),
        (TYPES.replace("from typing import TYPE_CHECKING\n", ""), "def main():"),
        (TYPES.replace("import numpy", "TYPE_CHECKING = True\nimport numpy"), "def main():"),
        (f"{TYPES}    np.fft.fft = None\n", "def main():"),
        (f"{TYPES}else:\n    np = None\n", "def main():"),
        ("import numpy as np\nfrom pathlib import Path\n", "def main(path=Path(SIZES)):"),
        ("import numpy as np\nfrom pathlib import Path\n", "def main(path=Path('.').touch()):"),
        ("import numpy as np\nfrom shutil import rmtree\n", "def main(path=rmtree('.')):"),
        ("import numpy as np\nPath = [].index\n", "def main(path=Path('.')):"),
        ("import numpy as np\n", "def main(path: Path):"),
        ("import numpy as np\n", "def main(path: np.path):"),
        ("import numpy as np\n", "def main(path: N[0]):"),
        ("import numpy as np\n", "def main(path: 'Path' | None = None):"),
        ("import numpy as np\n", "def main(path: 'Path' + 1 = None):"),
    ],
)
def test_what_fails_or_acts_where_a_program_is_loaded_is_not_left_out(imports, main, tmp_path):
    source = with_change("def main():", main)
    assert fate_of(source.replace("import numpy as np\n", imports), tmp_path).fate != HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def transform(x, plan, out=None):", "def transform(x, plan, out=None) -> Array:"),
        ("def transform(x, plan, out=None):", "def transform(x: SIZES.append(1), plan, out=None):"),
        ("def main():", "def main() -> SIZES.append(1):"),
    ],
)
def test_an_annotation_that_fails_or_does_something_is_undecided(old, new, tmp_path):
    source = with_change(old, new).replace("\nclass Plan", "\nSIZES = [1]\n\n\nclass Plan", 1)
    assert fate_of(source, tmp_path).fate == UNDECIDED


@pytest.mark.long
def test_an_empty_part_may_stand_behind_the_end_of_a_buffer(tmp_path):
    nothing = "([0] * P, [99] * P)"
    buffer = f"[np.empty(0, DTYPE), {nothing}]"
    empty = f"    plan.own.Alltoallv({buffer}, {buffer})\n"
    gather = "    plan.own.Allgather("
    source = with_change(gather, empty + gather)
    assert fate_of(source, tmp_path).fate == HOLDS


SIZES = "N, P, M = 16, 2, 8\n"
FFT = 'TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"\n'
HARTLEY = FFT.replace("fft", "fht") + 'ALGORITHM, RESULT = "hypercube", "hartley"\n'
DECLARED = {
    (HEAD, HEAD.replace("transform", "forward")): "does not define transform(): these names are the"
    " contract of a node program",
    (FFT, FFT.replace("fft", "fftw")): "TRANSFORM = 'fftw': use one of fft, permute",
    (FFT, FFT.replace('"fft"', '["fft"]')): "TRANSFORM = ['fft']: use one of fft, permute",
    (SIZES, "N, P, M = 16.0, 2, 8\n"): "N = 16.0: it must be an integer, at least 1",
    (SIZES, "N, P, M = 16, (4, 4.5), 8\n"): "P = (4, 4.5): it must be an integer, at least 1",
    (FFT + SIZES, f"{HARTLEY}N, P, M = 48, 4, 12\n"): "N = 48 is not a power of two: define SHAPE,"
    " GRID = (48,), (4,), lengths and ranks",
    (FFT + SIZES, f"{HARTLEY}N, P, M = 48, 4, 12\nSHAPE = (48,)\n"): "SHAPE, GRID = (48,), (): it"
    " must be (48,), (4,)",
}
"""Declarations with an error, and how it is said."""


@pytest.mark.parametrize(("change", "words"), DECLARED.items())
def test_an_error_of_a_declaration_is_said_with_its_value(change, words, tmp_path):
    source = with_change(*change)
    if "fht" in source:
        source = source.replace("complex128", "float64")
    found = fate_of(source, tmp_path)
    assert found.fate == UNDECIDED
    assert words in found.reason
    assert found.reason.endswith("node program") or "contract of" not in found.reason


NEW = "out = None if out is False else (out.shape, out)[1]"
SIGNATURES = [
    ((HEAD, "def transform(data, p, out=None):\n    x, plan = data, p\n"), "argument 'x'; write"),
    ((HEAD, f"def transform(x, plan, out=False):\n    {NEW}\n"), "line 40: AttributeError"),
    ((HEAD, "def transform(x, plan, *more, out=None):\n    out = more[0] if more else out\n"), ""),
]


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("change", "words"), SIGNATURES)
def test_arguments_have_the_names_of_the_contract_and_out_may_be_none(change, words, tmp_path):
    found = fate_of(with_change(*change), tmp_path)
    assert found.fate == HOLDS
    assert ("write transform(x, plan, out=None)" in found.reasons["contract"]) == bool(words)
    assert words in found.reasons["contract"]
