"""Lines of 64 bytes under numba for arrays that the caches do not hold: all of `lanes`, and stream
and prefetch.
"""

from __future__ import annotations

from codegen.kernels.host import I32, cgutils, intrinsic, ir, operation, types
from codegen.kernels.lanes import _pointers
from codegen.kernels.lanes import address as address
from codegen.kernels.lanes import aligned as aligned
from codegen.kernels.lanes import compiled as compiled
from codegen.kernels.lanes import exchange as exchange
from codegen.kernels.lanes import load as load
from codegen.kernels.lanes import permute as permute
from codegen.kernels.lanes import store as store
from codegen.kernels.past_caches import begins_on_line as begins_on_line
from codegen.kernels.past_caches import fence as fence

# What follows stands in emitted programs, byte for byte.


@intrinsic
def stream(typing, memory, place, places, lines):
    """Store lines at multiples of 64 bytes without reading them first."""

    def act(b, memory, place, places, values):
        pointers = _pointers(b, memory, place, places, lines.dtype.vector)
        for pointer, value in zip(pointers, cgutils.unpack_tuple(b, values), strict=True):
            put = b.store(value, pointer, align=64)
            put.set_metadata("nontemporal", b.module.add_metadata([I32(1)]))

    return operation(types.void, act, 2, places, lines)


@intrinsic
def prefetch(typing, memory, place, places):
    """Prefetch lines that will be loaded soon."""

    def act(b, memory, place, places):
        for pointer in _pointers(b, memory, place, places, ir.IntType(8)):
            kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
            ask = cgutils.get_or_insert_function(b.module, kind, "llvm.prefetch.p0")
            b.call(ask, [pointer, I32(0), I32(3), I32(1)])

    return operation(types.void, act, 2, places)
