"""The public names: each documented by an example, and imported when it is first used."""

import inspect
import subprocess
import sys
from functools import cached_property

import pytest

import nodewright as nw
from tests.support.paths import ROOT

LEAST = 0.25
"""Seconds of processor time that the import may take."""
CONTRACT = [
    "equation",
    "check",
    "prove",
    "theorem",
    "theorems",
    "errata",
    "F",
    "I",
    "H",
    "L",
    "T",
    "R",
    "J",
    "kron",
    "direct_sum",
    "equations",
    "factor",
    "recognize",
    "layout",
    "fft",
    "fht",
    "hypercube_fft",
    "permute",
    "program",
    "certify",
]


def test_every_name_that_is_promised_is_there():
    assert set(CONTRACT) <= set(nw.__all__)
    assert set(dir(nw)) == {*nw.__all__, "__version__"}


PROPERTIES = (property, cached_property)
OURS = ("derive", "codegen", "proofs", "nodewright")


def members(thing: type) -> dict[str, object]:
    """Return the public methods of a class, those of its bases among them."""
    return {
        name: part
        for kind in reversed(thing.__mro__)
        if kind.__module__.split(".")[0] in OURS
        for name, part in vars(kind).items()
        if not name.startswith("_") and (inspect.isroutine(part) or isinstance(part, PROPERTIES))
    }


@pytest.mark.parametrize("name", nw.__all__)
def test_every_public_name_has_an_example(name):
    thing = getattr(nw, name)
    texts = [thing.__doc__ or ""]
    if isinstance(thing, type):
        texts += [getattr(part, "__doc__", None) or "" for part in vars(thing).values()]
    assert texts[0]
    assert any(">>> " in text for text in texts)


FOUND = {
    "check": lambda: nw.check("I(2) = I(2)"),
    "proof": lambda: nw.prove("L(n, 1) = I(n)"),
    "theorem": lambda: nw.theorem("cooley-tukey"),
    "derived": lambda: nw.Derivation("F(n)").end(),
    "factorization": lambda: nw.factor("shuffle", 3, p=1),
    "map": lambda: nw.recognize([0, 1]),
    "witness": lambda: nw.recognize([0, 1, 2, 2]),
    "layout": lambda: nw.layout("cyclic", 8, 2),
    "Hartley layout": lambda: nw.layout("hartley", 8, 2),
    "report": lambda: nw.fft(16, 2).check(),
    "cost": lambda: nw.fft(16, 2).cost(),
    "equation": lambda: nw.F(2) == nw.F(2),
    "typed equation": lambda: nw.equation("F(n) = F(n)"),
    "finding": lambda: nw.errata(["cormen-pseudocode-1"])[0],
}
"""Makes what public names return."""
NAMED = {name: getattr(nw, name) for name in nw.__all__}
DOCUMENTED = {
    **NAMED,
    **{
        f"{name}.{part}": method
        for name, thing in NAMED.items()
        if isinstance(thing, type)
        for part, method in members(thing).items()
    },
}


def says_what_it_raises(thing: object) -> bool:
    """Return whether a function with parameters says what it raises, and any what it does."""
    text = inspect.getdoc(thing) or ""
    if isinstance(thing, PROPERTIES):
        return bool(text)
    parameters = {*inspect.signature(getattr(thing, "__func__", thing)).parameters}
    return bool(text) and (parameters <= {"self", "cls"} or "aise" in text)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_name_and_method_says_what_it_raises(name):
    assert says_what_it_raises(DOCUMENTED[name])


@pytest.mark.parametrize("name", FOUND)
def test_what_public_names_return_says_what_it_raises(name):
    methods = members(type(FOUND[name]()))
    assert [part for part, method in methods.items() if not says_what_it_raises(method)] == []


def test_a_method_that_does_not_say_what_it_raises_is_seen():
    def silent(self, x):
        """Return x."""

    assert not says_what_it_raises(silent)
    assert not says_what_it_raises(lambda: 0)


def test_a_name_that_is_not_there_is_no_attribute():
    with pytest.raises(AttributeError, match="'nodewright' has no attribute 'hilbert'"):
        nw.hilbert  # noqa: B018


def test_the_version_is_that_of_the_command(nodewright):
    code, out, _ = nodewright("--version")
    assert (code, out) == (0, f"nodewright {nw.__version__}\n")


def test_importing_takes_little_time_and_no_library():
    look = (
        "import sys, time; start = time.process_time(); import nodewright;"
        " print(time.process_time() - start, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seconds, numpy = done.stdout.split()
    assert (float(seconds) < LEAST, numpy) == (True, "False")
