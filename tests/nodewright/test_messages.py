"""Errors name the option, the value and a remedy that works."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import nodewright as nw
from nodewright.runtime import loading
from nodewright.runtime.agreement import agreed


def error_of(comm, request, what="transform"):
    with pytest.raises(ValueError, match=r".") as found:
        agreed(comm, request, what)
    return str(found.value)


class Two:
    """Rank 0 of two ranks; the other one gives `other`, whatever is gathered."""

    def __init__(self, *other):
        self.other = [*other]

    def allgather(self, mine):
        return [mine, self.other.pop(0)]


def test_a_freed_transform_says_how_to_create_one():
    with nw.FFT(None, 16) as fft:
        pass
    for call in (fft.forward, fft.backward, fft.scatter):
        with pytest.raises(ValueError, match=r"FFT is freed; create a new one with nw\.FFT\(comm"):
            call(np.zeros(16, complex))


@pytest.mark.parametrize("scheme", [3, "3"])
def test_an_option_of_another_system_is_named(scheme):
    with pytest.raises(ValueError, match="fft has no option scheme; only hypercube-fft has it"):
        nw.fft(16, 4, scheme=scheme)


def test_an_unknown_option_is_near_to_input_once():
    for call in (lambda: nw.FFT(None, 16, inptu="block"), lambda: nw.fft(16, 4, inptu=3)):
        with pytest.raises(ValueError, match=r"inptu, perhaps input: the options of .* input, out"):
            call()


def test_a_result_never_replaces_its_input(nodewright, tmp_path):
    program, data = tmp_path / "fft.py", tmp_path / "IN.npy"
    nw.fft(16, 1).save(program)
    np.save(data, np.ones(16, complex))
    status, _, err = nodewright("run", program, data, tmp_path / "." / "IN.npy")
    assert (status, "input and output are the same file" in err) == (2, True)
    assert (np.load(data) == 1).all()


def test_a_value_that_is_given_twice_is_an_error(nodewright):
    words = ("check", "--formula", "F(N) = F(N)", "--set", "N=4", "--set", "N=5")
    assert nodewright(*words)[2] == "nodewright: N is given twice in --set: 4 and 5\n"


def test_several_options_set_give_several_values(nodewright):
    words = ("--formula", "L(r*s,r) * L(r*s,s) = I(r*s)", "--set", "r=2", "--set", "s=3")
    assert nodewright("check", *words)[0] == 0


def test_requests_that_differ_are_shown_with_their_ranks():
    asked = nw.fft(16, 2, input="cyclic").request
    other = {"system": "'fft'", "N": "16", "P": "2", "input": "'block'"}
    told = error_of(Two((None, b"other", []), other), lambda: asked)
    assert told == (
        "all ranks must request the same transform; rank 0 has input='cyclic', rank 1 has"
        " input='block'"
    )


def test_a_misspelt_layout_of_one_rank_is_its_error():
    with pytest.raises(ValueError, match="unknown layout 'cyclc', perhaps cyclic"):
        nw.FFT(None, 16, input="cyclc")
    told = error_of(Two(("unknown layout 'cyclc'", None, [])), lambda: 1)
    assert told == "rank 1: unknown layout 'cyclc'"


def test_a_program_without_a_certificate_is_told_the_command(nodewright, tmp_path):
    program = tmp_path / "fft.py"
    nw.fft(16, 1).save(program)
    err = nodewright("certify", "--verify", program)[2]
    assert f"{program} has no certificate" in err
    assert f"run `nodewright certify {program}`" in err


def test_kernels_that_need_pyfftw_say_how_to_install_it(monkeypatch):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"needs pyfftw; .* pip install 'nodewright\[pyfftw\]'"):
        nw.FFT(None, 16, kernels="pyfftw")


def test_a_formula_that_cannot_be_a_program_is_an_error_at_once():
    with pytest.raises(ValueError, match="F_13 combines 13 elements, but a rank holds 1;"):
        nw.program("F(n) = F(n)", 13, 13)


def test_a_matrix_without_a_name_in_python_is_written_as_text():
    with pytest.raises(AttributeError, match=r"write the matrix Gamma\(u, p, N\) in the text"):
        nw.Gamma  # noqa: B018


def test_a_communicator_without_ranks_is_named():
    class Null(SimpleNamespace):
        def __bool__(self):
            return False

    with pytest.raises(ValueError, match=r"comm is MPI\.COMM_NULL or freed; only ranks"):
        nw.FFT(Null(allgather=None), 16)


def test_names_are_near_to_the_first_word_of_a_long_name():
    with pytest.raises(ValueError, match="perhaps cooley-tukey"):
        nw.theorem("coley")
