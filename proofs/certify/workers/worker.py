"""A worker: it executes a program's text for one job, behind the wall, and sends what comes of
it.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np

from codegen.mpi.accidents import on_nodes
from proofs.certify.failures import Wrong
from proofs.certify.sandbox.loading import Text
from proofs.certify.sandbox.source import Source
from proofs.certify.workers import frames
from proofs.certify.workers.jobs import Job, NotModelled

MOST_SENT = 2**31
"""No job is longer than this."""
MOST_WORDS = 10_000
"""An error is told in at most so many characters."""
Said = tuple[dict[str, Any], list[Any]]


def work(descriptor: int) -> None:
    """Read a job, do it, and send the outcome and its arrays."""
    source, job, nodes = pickle.loads(frames.read_frame(descriptor, MOST_SENT))
    with on_nodes(nodes):
        values, arrays = _done(source, job)
    frames.write_frame(descriptor, json.dumps(values).encode())
    for array in arrays:
        frames.write(descriptor, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _done(source: Source, job: Job) -> Said:
    """Return the outcome of a job, whatever it is."""
    try:
        values, arrays = job.done(Text.of(source))
    except Wrong as wrong:
        return {"outcome": "wrong", "name": wrong.name, "words": str(wrong)[:MOST_WORDS]}, []
    except NotModelled as error:
        return {"outcome": "not modelled", "words": str(error)[:MOST_WORDS]}, []
    except MemoryError:
        return {"outcome": "memory"}, []
    except BaseException as error:  # a program may raise anything
        return {"outcome": "failed", "words": str(error)[:MOST_WORDS]}, []
    return {**values, "outcome": "done"}, arrays
