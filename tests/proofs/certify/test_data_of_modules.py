"""Data of modules that a program has for its main: what it computes depends on none of it."""

import pytest

from codegen.mpi.faults import NotModelled
from derive.verdict import Refuted
from proofs.certify.sandbox.source import Source
from tests.support.changes import changed_once
from tests.support.judged import verdicts
from tests.support.lines import IMPORT, START
from tests.support.programs import fft

DATA = {
    "where a clock stands": "time.timezone",
    "a module of another": "os.sys",
    "how Python was started": "os.sys.dont_write_bytecode",
    "where Python is": "os.sys.executable != '/usr/bin/python3'",
    "which system it is": "os.name == 'nt'",
    "how names of files are joined": "os.path.sep == 'no'",
}


def asking(asked):
    """Return a program that computes something else if that is so."""
    return changed_once(fft(16, 2), (START, START + f"    x = 0 * x if {asked} else x\n"))


@pytest.mark.parametrize("name", DATA)
def test_data_of_modules_for_main_is_not_modelled(name):
    with pytest.raises(NotModelled, match="their results depend on nothing else"):
        verdicts(asking(DATA[name]))


@pytest.mark.parametrize("asked", ["os.SEEK_END < 0", "sys.maxsize < 0"])
def test_constants_that_are_the_same_everywhere_are_read(asked):
    found = verdicts(asking(asked))
    assert [verdict for verdict in found.values() if isinstance(verdict, Refuted)] == []


@pytest.mark.parametrize("module", ["numpy", "math", "os", "os.path", "collections"])
@pytest.mark.parametrize("form", ["from {} import *", "if True:\n    from {} import *"])
def test_all_names_of_a_module_are_not_modelled(module, form):
    with pytest.raises(ValueError, match=r"line \d+: an import of all names of a module"):
        Source.read(
            "prog.py", changed_once(fft(16, 2), (IMPORT, IMPORT + form.format(module) + "\n"))
        )
