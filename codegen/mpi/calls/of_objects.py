"""The collective calls of a simulated communicator for objects, in lower case: each rank gets a
copy of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add
from typing import Any

from codegen.mpi.calls.collectives import unpickled
from codegen.mpi.causality import ALL, FROM_ROOT, NOBODY, TO_ROOT
from codegen.mpi.communicator import Base, Collective
from codegen.mpi.memory.pickled import Pickled
from codegen.mpi.ranks import invalid


class Objects(Base):
    """The collective calls of mpi4py that pickle."""

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """Return the root's object."""
        return self._objects(
            "bcast",
            Pickled.of(obj) if self.rank == root else None,
            lambda given: [given[root]] * self.size,
            root,
            FROM_ROOT,
        )

    def scatter(self, sendobj: Any, root: int = 0) -> Any:
        """Return this rank's of the root's objects."""
        if self.rank == self._rank(root) and (sendobj is None or len(sendobj) != self.size):
            raise invalid(f"{sendobj!r} is no list of {self.size} objects")
        each = [Pickled.of(one) for one in sendobj] if self.rank == root else None
        return self._objects("scatter", each, lambda given: given[root], root, FROM_ROOT)

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks on the root."""
        objects: list[Any] | None = self._objects(
            "gather",
            Pickled.of(sendobj),
            lambda given: [given if j == root else None for j in range(self.size)],
            root,
            TO_ROOT,
        )
        return objects

    def allgather(self, sendobj: Any) -> list[Any]:
        """Return the objects of all ranks."""
        objects: list[Any] = self._objects(
            "allgather", Pickled.of(sendobj), lambda given: [given] * self.size
        )
        return objects

    def alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        """Return the objects that the ranks have for this one."""
        if len(sendobj) != self.size:
            raise invalid(f"{len(sendobj)} objects for {self.size} ranks")
        each = [Pickled.of(one) for one in sendobj]
        objects: list[Any] = self._objects(
            "alltoall", each, lambda given: [[one[j] for one in given] for j in range(self.size)]
        )
        return objects

    def reduce(self, sendobj: Any, op: Callable[[Any, Any], Any] = add, root: int = 0) -> Any:
        """Return the sum, or the like, of the objects of all ranks on the root."""

        def rule(given: list[Pickled]) -> list[Any]:
            return [_reduced(given, op)[-1] if j == root else None for j in range(self.size)]

        return self._objects("reduce", Pickled.of(sendobj), rule, root, TO_ROOT, op)

    def allreduce(self, sendobj: Any, op: Callable[[Any, Any], Any] = add) -> Any:
        """Return the sum, or the like, of the objects of all ranks."""
        return self._objects(
            "allreduce",
            Pickled.of(sendobj),
            lambda given: _reduced(given, op)[-1:] * self.size,
            op=op,
        )

    def scan(self, sendobj: Any, op: Callable[[Any, Any], Any] = add) -> Any:
        """Return the sum, or the like, of the objects up to this rank's."""
        return self._objects(
            "scan", Pickled.of(sendobj), lambda given: _reduced(given, op), flow=NOBODY, op=op
        )

    def _objects(
        self,
        name: str,
        obj: Any,
        rule: Callable[[list[Any]], Sequence[Any]],
        root: int | None = None,
        flow: str = ALL,
        op: Any = None,
    ) -> Any:
        terms: dict[str, Any] = {} if root is None else {"root": self._rank(root)}
        terms |= (
            {}
            if op is None
            else {
                "operator": getattr(op, "_name", None)
                or ("SUM" if op is add else getattr(op, "__name__", str(op)))
            }
        )
        text = f"{name}({', '.join(f'{key} {value}' for key, value in terms.items())})"
        given = (obj,)
        return self._meet(
            Collective(
                name,
                lambda all_given: unpickled(rule([one for (one,) in all_given])),
                given,
                terms=tuple(terms.items()),
                flow=flow,
                root=root or 0,
                text=text,
                moves=False,
            )
        )


def _reduced(given: list[Pickled], op: Callable[[Any, Any], Any]) -> list[Pickled]:
    """Return the sums, or the like, of the objects of the first ranks, in their order."""
    return [Pickled.of(result) for result in accumulate((one.made() for one in given), op)]
