"""Jobs on a text done in this process, so that a test can change what they use, and look at it
afterwards.
"""

import json
from functools import cache

import numpy as np

from codegen.mpi.accidents import on_nodes
from proofs.certify.evaluation.jobs import Constants
from proofs.certify.failures import Wrong
from proofs.certify.fields.field_run import run_over_field
from proofs.certify.kernels import registers
from proofs.certify.reading import declared_by
from proofs.certify.sandbox.loading import Text
from proofs.certify.sandbox.source import Source
from proofs.certify.workers.parent import Workers


class InProcess(Workers):
    """Workers whose jobs are done by the one who asks."""

    def ask(self, job, wanted=()):
        """Return the values, as JSON has them, and the arrays."""
        if getattr(job, "compiled", False):
            _compile_ours()
        with on_nodes(self.nodes):
            values, arrays = job.done(Text.of(self.source))
        assert [(array.dtype, array.shape) for array in arrays] == [tuple(each) for each in wanted]
        return json.loads(json.dumps(values)), arrays

    def each(self, asking, given):
        """Return what each of these leads to, one after the other."""
        return list(map(asking, given))


@cache
def _compile_ours():
    """Compile those functions of the check that numba compiles: a text that it compiles later
    leaves its types with numba, and theirs are then looked for with the text's type().
    """
    steps, lists = np.zeros((0, 7), np.int32), np.zeros(0, np.int32)
    registers.registers(steps, lists, 0)
    registers.uses(steps, 0)


def workers_of(program):
    """Return such workers for a text, and what it declares."""
    workers = InProcess(Source.read("prog.py", program))
    said, _ = workers.ask(Constants())
    return workers, declared_by(said["constants"], said["functions"])


def once(program):
    """Return one transform over a random field, and what the program declares."""
    workers, d = workers_of(program)
    return run_over_field(workers, d, np.random.default_rng(0), units=False), d


def right(outcome):
    """Raise Wrong where an output of a run is wrong."""
    if outcome.counterexample():
        raise Wrong("function", outcome.counterexample())
