"""Vectors of float32 or float64 numbers for numba kernels: one register of this CPU each.

How many numbers that are follows from the type of an array (`lanes_of`). Arrays are C-contiguous
and of two dimensions; nothing is checked. Eight float64 numbers on every CPU, and operations that
return the same bits on all of them, are in :mod:`dpmc.methods.kernels.simd`.

With NUMBA_DISABLE_JIT=1 the same names are plain NumPy functions.

numba keeps compiled kernels apart by kind of CPU.
"""

import platform

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.extending import intrinsic, models, register_model

_FEATURES = (config.CPU_FEATURES or get_host_cpu_features()).split(",")
if "+avx512f" in _FEATURES:
    BYTES, REGISTERS = 64, 32
elif platform.machine() in ("aarch64", "arm64"):
    BYTES, REGISTERS = 16, 32
else:
    BYTES, REGISTERS = 32 if "+avx" in _FEATURES else 16, 16


class Vector(types.Type):
    """numba's view of a vector of float32 or float64; such values live inside kernels only."""

    def __init__(self, dtype):
        self.dtype, self.lanes = dtype, BYTES * 8 // dtype.bitwidth
        super().__init__(name=f"{dtype}x{self.lanes}")

    def llvm(self):
        """Return the LLVM type."""
        scalar = ir.FloatType() if self.dtype == types.float32 else ir.DoubleType()
        return ir.VectorType(scalar, self.lanes)

    def call(self, builder, name, *args):
        """Call LLVM's own function of this name from vectors to a vector."""
        kind = ir.FunctionType(self.llvm(), [self.llvm()] * len(args))
        name = f"llvm.{name}.v{self.lanes}f{self.dtype.bitwidth}"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)

    def broadcast(self, builder, number):
        """Return a vector with one number in all lanes."""
        nothing = ir.Constant(self.llvm(), ir.Undefined)
        index = ir.VectorType(ir.IntType(32), self.lanes)
        first = builder.insert_element(nothing, number, ir.IntType(32)(0))
        return builder.shuffle_vector(first, nothing, ir.Constant(index, [0] * self.lanes))


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, numba_type.llvm())


def address_of(context, builder, array_type, array, row, column):
    """Return the address of array[row, column]."""
    return cgutils.get_item_pointer(
        context,
        builder,
        array_type,
        context.make_array(array_type)(context, builder, array),
        [row, column],
        wraparound=False,
    )


def load_from(builder, kind, address):
    """Return the vector at an address."""
    pointer = builder.bitcast(address, kind.llvm().as_pointer())
    return builder.load(pointer, align=kind.dtype.bitwidth // 8)


def store_to(builder, kind, value, address):
    """Write a vector to an address."""
    pointer = builder.bitcast(address, kind.llvm().as_pointer())
    builder.store(value, pointer, align=kind.dtype.bitwidth // 8)


@intrinsic
def lanes_of(typingctx, array):
    """Return how many numbers of the array a vector holds."""

    def generate(context, builder, sig, args):
        return context.get_constant(types.intp, Vector(array.dtype).lanes)

    return types.intp(array), generate


@intrinsic
def load(typingctx, array, row, column):
    """Return the vector that starts at array[row, column]."""
    kind = Vector(array.dtype)

    def generate(context, builder, sig, args):
        return load_from(builder, kind, address_of(context, builder, sig.args[0], *args))

    return kind(array, types.intp, types.intp), generate


@intrinsic
def store(typingctx, value, array, row, column):
    """Write a vector to where array[row, column] is the first number."""

    def generate(context, builder, sig, args):
        address = address_of(context, builder, sig.args[1], *args[1:])
        store_to(builder, value, args[0], address)
        return context.get_dummy_value()

    return types.void(value, array, types.intp, types.intp), generate


@intrinsic
def scaled(typingctx, value, number):
    """Return a vector times a number."""

    def generate(context, builder, sig, args):
        return builder.fmul(args[0], value.broadcast(builder, args[1]))

    return value(value, value.dtype), generate


@intrinsic
def plus_product(typingctx, value, one, other):
    """Return value + one * other, rounded once where the CPU can."""

    def generate(context, builder, sig, args):
        return value.call(builder, "fmuladd", args[1], args[2], args[0])

    return value(value, value, value), generate


@intrinsic
def sum_of_lanes(typingctx, value):
    """Return the sum of a vector's numbers: halves are added until one number is left."""

    def generate(context, builder, sig, args):
        total, lanes = args[0], value.lanes
        while lanes > 1:
            lanes //= 2
            halves = [
                builder.shuffle_vector(
                    total,
                    ir.Constant(total.type, ir.Undefined),
                    ir.Constant(ir.VectorType(ir.IntType(32), lanes), list(range(at, at + lanes))),
                )
                for at in (0, lanes)
            ]
            total = builder.fadd(*halves)
        return builder.extract_element(total, ir.IntType(32)(0))

    return value.dtype(value), generate


@intrinsic
def prefetch(typingctx, array, row, column):
    """Ask for the cache line of array[row, column], which may lie outside of the array."""

    def generate(context, builder, sig, args):
        address = address_of(context, builder, sig.args[0], *args)
        pointer = builder.bitcast(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate


if config.DISABLE_JIT:

    def lanes_of(array):
        return BYTES // array.itemsize

    def load(array, row, column):
        return array[row, column : column + lanes_of(array)].copy()

    def store(value, array, row, column):
        array[row, column : column + value.size] = value

    def scaled(value, number):
        return value * number

    def plus_product(value, one, other):
        return value + one * other

    sum_of_lanes = np.sum

    def prefetch(array, row, column):
        pass
