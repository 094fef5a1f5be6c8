"""The messages of one transform, which a worker lists one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proofs.certify.failures import Wrong
from proofs.certify.sandbox.loading import Text, compiler_of
from proofs.certify.workers.jobs import OfNumbers, Said
from proofs.certify.workers.on_ranks import Setting, performed
from proofs.certify.workers.usage import OF_NUMBERS, TRANSFORM, by_numpy


@dataclass(frozen=True)
class Sent(OfNumbers):
    """A script on ordinary numbers, of which at most so many messages are wanted."""

    most: int = 0

    def done(self, text: Text) -> Said:
        """Return how many messages to others transforms send, and rows of source, target and
        elements, in the order in which they are begun; the rows after them are zeros.
        """
        d, compiler = self.declaration, compiler_of(text) if self.compiled else None
        data = [vector.view(by_numpy(vector.dtype)).copy() for vector in self.data]
        setting = Setting(self.name, None, compiler, OF_NUMBERS)
        done = performed(text, d, data, self.script, setting)
        found = [
            (message.source, message.target, message.elements)
            for operation in done.trace.operations
            if operation.phase == TRANSFORM
            for message in operation.messages
        ]
        if len(found) > self.most:
            words = f"the ranks send {len(found)} messages, more than the {self.most} counted"
            raise Wrong(self.name, words)
        rows = np.zeros((self.most, 3), np.int64)
        rows[: len(found)] = np.array(found, np.int64).reshape(-1, 3)
        return {"messages": len(found)}, [rows]
