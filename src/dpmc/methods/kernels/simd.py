"""Eight float64 numbers side by side: a vector type for numba and the few operations it needs.

The kernels solve eight small problems at once, one in each lane of a vector, or one problem with
eight of its numbers in a vector. numba has no type for that. This module adds one, `float64x8`, as
an LLVM vector ``<8 x double>``: one register with AVX-512, two with AVX2, four with NEON. Each
function below becomes a single LLVM instruction. `fma` and `fnma` round once, and nothing is
reordered. Every CPU with a fused multiply-add therefore returns the same bits, and without `fma`
and `fnma` every CPU does.

Arrays are C-contiguous float64. In arrays of lanes the last axis has length 8 and needs no index:
``load(array, i, j)`` returns array[i, j, :]. With an index for every axis, it returns the 8 numbers
from that element on. Indices are not checked.

With NUMBA_DISABLE_JIT=1 the same names are plain NumPy functions on arrays of shape (8,). They
define each operation and let the kernels run as slow Python, for debugging and coverage; only the
single rounding of `fma` is lost.
"""

import operator

import dpmc.compiled  # noqa: F401  (numba comes through it, without coverage.py)

# isort: split
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8


def lane_zeros(*shape: int) -> np.ndarray:
    """Return zeros of shape (*shape, 8), aligned to 64 bytes so that no load splits a line."""
    size = int(np.prod(shape)) * LANES
    raw = np.zeros(size + LANES)
    skip = -(raw.ctypes.data // raw.itemsize) % LANES
    return raw[skip : skip + size].reshape(*shape, LANES)


class Float64x8(types.Type):
    """numba's view of a vector; such values live inside kernels only."""

    def __init__(self):
        super().__init__(name="float64x8")


float64x8 = Float64x8()
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_BITS = ir.IntType(LANES)
_INDICES = ir.VectorType(ir.IntType(32), LANES)


@register_model(Float64x8)
class _Float64x8Model(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, _VECTOR)


def _support_operator(symbol, instruction):
    @infer_global(symbol)
    class _Typing(ConcreteTemplate):
        cases = (signature(float64x8, float64x8, float64x8),)

    @lower_builtin(symbol, float64x8, float64x8)
    def _lower(context, builder, sig, args):
        return getattr(builder, instruction)(*args)


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _support_operator(_symbol, _instruction)


def _pointer(context, builder, array_type, array, index_type, index):
    """Return the address of the vector that starts at array[index] or array[index, 0]."""
    integers = [
        context.cast(builder, builder.extract_value(index, axis), kind, types.intp)
        for axis, kind in enumerate(index_type)
    ]
    integers += [context.get_constant(types.intp, 0)] * (array_type.ndim - len(integers))
    address = cgutils.get_item_pointer(
        context,
        builder,
        array_type,
        context.make_array(array_type)(context, builder, array),
        integers,
        wraparound=False,
    )
    return builder.bitcast(address, _VECTOR.as_pointer())


def _call_llvm(builder, name, args):
    """Call one of LLVM's own functions from vectors to a vector."""
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def load(typingctx, array, *index):
    """Return the vector array[index, :], or the 8 numbers from array[index] on."""

    def generate(context, builder, sig, args):
        address = _pointer(context, builder, sig.args[0], args[0], sig.args[1], args[1])
        return builder.load(address, align=array.dtype.bitwidth // 8)

    return float64x8(array, types.StarArgTuple(index)), generate


@intrinsic
def store(typingctx, value, array, *index):
    """Write a vector to array[index, :], or to the 8 numbers from array[index] on."""

    def generate(context, builder, sig, args):
        address = _pointer(context, builder, sig.args[1], args[1], sig.args[2], args[2])
        builder.store(args[0], address, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(float64x8, array, types.StarArgTuple(index)), generate


@intrinsic
def broadcast(typingctx, number):
    """Return the vector with one number in all lanes."""

    def generate(context, builder, sig, args):
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        first = builder.insert_element(nothing, args[0], ir.IntType(32)(0))
        return builder.shuffle_vector(first, nothing, ir.Constant(_INDICES, [0] * LANES))

    return float64x8(types.float64), generate


@intrinsic
def fma(typingctx, a, b, c):
    """Return a * b + c, rounded once."""

    def generate(context, builder, sig, args):
        return _call_llvm(builder, "llvm.fma.v8f64", args)

    return float64x8(float64x8, float64x8, float64x8), generate


@intrinsic
def fnma(typingctx, a, b, c):
    """Return c - a * b, rounded once."""

    def generate(context, builder, sig, args):
        return _call_llvm(builder, "llvm.fma.v8f64", [builder.fneg(args[0]), *args[1:]])

    return float64x8(float64x8, float64x8, float64x8), generate


@intrinsic
def absolute(typingctx, a):
    """Return abs(a)."""

    def generate(context, builder, sig, args):
        return _call_llvm(builder, "llvm.fabs.v8f64", args)

    return float64x8(float64x8), generate


@intrinsic
def maximum(typingctx, a, b):
    """Return the larger of a and b in each lane; b where a is not a number."""

    def generate(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return float64x8(float64x8, float64x8), generate


@intrinsic
def any_greater(typingctx, a, b):
    """Return whether a > b in any lane."""

    def generate(context, builder, sig, args):
        greater = builder.bitcast(builder.fcmp_ordered(">", *args), _BITS)
        return builder.icmp_unsigned("!=", greater, _BITS(0))

    return types.boolean(float64x8, float64x8), generate


@intrinsic
def transpose(typingctx, a, b, c, d, e, f, g, h):
    """Return 8 vectors: the columns of the 8 x 8 matrix whose rows are given."""

    def generate(context, builder, sig, args):
        rows = list(args)
        # swap the off-diagonal blocks of size 1, 2, 4 in turn
        for size in (1, 2, 4):
            first = [lane if not lane & size else lane - size + LANES for lane in range(LANES)]
            second = [lane + size if not lane & size else lane + LANES for lane in range(LANES)]
            for i in range(LANES):
                if not i & size:
                    pair = rows[i], rows[i + size]
                    for j, pattern in ((i, first), (i + size, second)):
                        rows[j] = builder.shuffle_vector(*pair, ir.Constant(_INDICES, pattern))
        return context.make_tuple(builder, sig.return_type, rows)

    return types.UniTuple(float64x8, LANES)(*[float64x8] * LANES), generate


if config.DISABLE_JIT:

    def _lanes(array, index):
        if len(index) == array.ndim:
            *index, first = index
            return array[(*index, slice(first, first + LANES))]
        return array[index]

    def load(array, *index):
        return _lanes(array, index).copy()

    def store(value, array, *index):
        _lanes(array, index)[:] = value

    def broadcast(number):
        return np.full(LANES, number)

    def fma(a, b, c):
        return a * b + c

    def fnma(a, b, c):
        return c - a * b

    absolute = np.abs

    def maximum(a, b):
        return np.where(a > b, a, b)

    def any_greater(a, b):
        return bool((a > b).any())

    def transpose(*rows):
        return tuple(np.array(rows).T)
