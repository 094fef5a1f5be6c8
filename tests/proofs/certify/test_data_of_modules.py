"""What a program takes from libraries: what it computes depends on no version, machine, clock or
setting, and it changes nothing for others.
"""

import importlib
from types import ModuleType

import pytest

from codegen.mpi.faults import NotModelled
from proofs.certify.arrays.elements import Elements
from proofs.certify.arrays.tokens import Tokens
from proofs.certify.sandbox.libraries import LIBRARIES
from proofs.certify.sandbox.source import Source
from tests.support.changes import changed_once
from tests.support.in_process import once
from tests.support.lines import IMPORT, START
from tests.support.programs import fft

DATA = {
    "where a clock stands": "time.timezone",
    "a module of another": "os.sys",
    "how Python was started": "os.sys.dont_write_bytecode",
    "where Python is": "os.sys.executable != '/usr/bin/python3'",
    "which system it is": "os.name == 'nt'",
    "how names of files are joined": "os.path.sep == 'no'",
    "the end of a file": "os.SEEK_END < 0",
}


def asking(asked):
    """Return a program that computes something else if that is so."""
    return changed_once(fft(16, 2), (START, START + f"    x = 0 * x if {asked} else x\n"))


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", DATA)
def test_data_of_modules_for_main_is_not_modelled(name):
    with pytest.raises(NotModelled, match="their results depend on nothing else"):
        once(asking(DATA[name]))


ELSEWHERE = {
    "the version of Python": "sys.version_info >= (3, 99)",
    "how many bits a pointer has": "sys.maxsize < 2**40",
    "what a float can hold": "sys.float_info.dig != 15",
    "whether numpy has little ends": "not np.little_endian",
    "the size of a type of C": "np.iinfo(np.long).bits == 32",
    "the size of a long double": "np.finfo(np.longdouble).bits == 64",
    "what numpy was built with": "np.show_config('dicts') is None",
    "where numpy is": "'site-packages' not in np.get_include()",
    "the time of a calendar": "np.busday_count('2026-01-01', '2026-02-01') > 99",
    "an array that nobody has written": "np.recarray((3,), [('a', 'f8')]).a[0] == 3.7",
    "settings for texts": "np.printoptions(precision=3).__enter__()",
    "a registry of functions": "len(typing.get_overloads(transform)) > 30",
    "a class that makes classes": "enum.EnumType is None",
    "a decorator that marks": "typing.final(np.fft.fft) is None",
    "what a module of another is": "contextlib.sys is None",
}
"""What is another thing elsewhere, or is changed for others: names that no module here has."""


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_that_is_not_listed_is_not_modelled(name):
    asked = changed_once(asking(ELSEWHERE[name]), (IMPORT, IMPORT + "import enum\nimport typing\n"))
    with pytest.raises(NotModelled, match=r"\w+ is not modelled: plan and transform use what is"):
        once(asked)


@pytest.mark.parametrize("module", LIBRARIES)
def test_what_is_listed_is_there_and_is_no_module(module):
    real = importlib.import_module(module)
    found = {name: getattr(real, name) for name in LIBRARIES[module]}
    assert {name for name, thing in found.items() if isinstance(thing, ModuleType)} <= {"abc"}
    assert not any(isinstance(thing, dict | list | set) for thing in found.values())


@pytest.mark.parametrize("kind", [Elements, Tokens])
def test_what_is_modelled_of_numpy_is_listed(kind):
    modelled = {function.__name__ for function in kind.functions}
    assert len(modelled) > 40
    assert modelled <= LIBRARIES["numpy"] | LIBRARIES["numpy.fft"]


SEEN = {
    "the time": "np.array('now', 'M8[s]') > np.array('2027-01-01', 'M8[s]')",
    "the day": "np.arange('today', 2, dtype='M8[D]').astype(int)[0] > 30000",
    "where an array lies": "np.zeros(3).ctypes.data % 4096 == 0",
    "the order of bytes": "sys.byteorder == 'big'",
    "the order of bytes of a type": "np.dtype('<i4').byteorder == '<'",
    "whether that order is the machine's": "not np.dtype('<i4').isnative",
    "the order of bytes of a number": "np.ones(1, int).tobytes()[0] == 0",
}


@pytest.mark.parametrize("name", SEEN)
def test_the_time_and_the_machine_are_not_seen_by_other_names(name):
    with pytest.raises(ValueError, match=r"line \d+: (the name \.|a text that numpy reads as)"):
        Source.read("prog.py", asking(SEEN[name]))


CHANGING = {
    "a data class": "dataclasses.dataclass(fractions.Fraction)",
    "a data class with options": "dataclasses.dataclass(order=True)(fractions.Fraction)",
    "an order": "functools.total_ordering(fractions.Fraction)",
    "a wrapper": "functools.wraps(transform)(np.fft.fft)",
    "an abstract method": "abc.abstractmethod(np.fft.fft)",
    "an attribute": "np.fft.fft.seen = 1",
    "an attribute of a class": "fractions.Fraction.seen = 1",
}


@pytest.mark.parametrize("name", CHANGING)
def test_what_is_a_librarys_is_not_changed(name):
    imports = IMPORT + "import abc\nimport dataclasses\nimport fractions\nimport functools\n"
    changes = (IMPORT, imports), (START, f"{START}    {CHANGING[name]}\n")
    with pytest.raises(NotModelled, match=r"library's"):
        once(changed_once(fft(16, 2), *changes))


@pytest.mark.parametrize("module", ["numpy", "math", "os", "os.path", "collections"])
@pytest.mark.parametrize("form", ["from {} import *", "if True:\n    from {} import *"])
def test_all_names_of_a_module_are_not_modelled(module, form):
    with pytest.raises(ValueError, match=r"line \d+: an import of all names of a module"):
        Source.read(
            "prog.py", changed_once(fft(16, 2), (IMPORT, IMPORT + form.format(module) + "\n"))
        )
