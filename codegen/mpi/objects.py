"""The collective calls of a simulated communicator for objects, in lower case: each rank gets a copy of its own."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add
from typing import Any

from codegen.mpi.causality import ALL, FROM_ROOT, NOBODY, TO_ROOT
from codegen.mpi.collectives import accumulated, copied
from codegen.mpi.communicator import Base, Collective
from codegen.mpi.faults import Fault
from codegen.mpi.ranks import wrong


class Objects(Base):
    """The collective calls of mpi4py that pickle."""

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """Return the root's object."""
        return self._objects("bcast", obj, lambda given: [given[root]] * self.size, root, FROM_ROOT)

    def scatter(self, sendobj: Any, root: int = 0) -> Any:
        """Return this rank's of the root's objects."""
        if self.rank == self._rank(root) and (sendobj is None or len(sendobj) != self.size):
            raise wrong(Fault.INVALID_PARAMETER, f"{sendobj!r} is no list of {self.size} objects")
        return self._objects("scatter", sendobj, lambda given: given[root], root, FROM_ROOT)

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks on the root."""
        objects: list[Any] | None = self._objects(
            "gather", sendobj, lambda given: [given if j == root else None for j in range(self.size)], root, TO_ROOT
        )
        return objects

    def allgather(self, sendobj: Any) -> list[Any]:
        """Return the objects of all ranks."""
        objects: list[Any] = self._objects("allgather", sendobj, lambda given: [given] * self.size)
        return objects

    def alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        """Return the objects that the ranks have for this one."""
        if len(sendobj) != self.size:
            raise wrong(Fault.INVALID_PARAMETER, f"{len(sendobj)} objects for {self.size} ranks")
        objects: list[Any] = self._objects("alltoall", sendobj, lambda given: [[one[j] for one in given] for j in range(self.size)])
        return objects

    def reduce(self, sendobj: Any, op: Callable[[Any, Any], Any] = add, root: int = 0) -> Any:
        """Return the sum, or the like, of the objects of all ranks on the root."""
        rule = lambda given: [accumulated(given, op) if j == root else None for j in range(self.size)]  # noqa: E731
        return self._objects("reduce", sendobj, rule, root, TO_ROOT, op)

    def allreduce(self, sendobj: Any, op: Callable[[Any, Any], Any] = add) -> Any:
        """Return the sum, or the like, of the objects of all ranks."""
        return self._objects("allreduce", sendobj, lambda given: [accumulated(given, op)] * self.size, op=op)

    def scan(self, sendobj: Any, op: Callable[[Any, Any], Any] = add) -> Any:
        """Return the sum, or the like, of the objects up to this rank's."""
        return self._objects("scan", sendobj, lambda given: list(accumulate(given, op)), flow=NOBODY, op=op)

    def _objects(
        self, name: str, obj: Any, rule: Callable[[list[Any]], Sequence[Any]], root: int | None = None, flow: str = ALL, op: Any = None
    ) -> Any:
        terms: dict[str, Any] = {} if root is None else {"root": self._rank(root)}
        terms |= {} if op is None else {"operator": getattr(op, "_name", None) or ("SUM" if op is add else getattr(op, "__name__", str(op)))}
        text = f"{name}({', '.join(f'{key} {value}' for key, value in terms.items())})"
        given = (copy.deepcopy(obj),)
        return self._meet(
            Collective(
                name,
                lambda all_given: copied(rule([one for (one,) in all_given])),
                given,
                terms=tuple(terms.items()),
                flow=flow,
                root=root or 0,
                text=text,
                moves=False,
            )
        )
