"""Blocks of sums of products in registers: what the speed of the normal equations rests on.

numba and LLVM do not find these forms by themselves, so they are emitted as LLVM vector
instructions: `add_tile`, a loop over the rows of a panel whose sums stay in registers throughout,
and the two steps of a Cholesky factorization by blocks of rows. Arrays are C-contiguous, of two
dimensions, float32 or float64 and a whole number of vectors wide. Nothing is checked.

With NUMBA_DISABLE_JIT=1 the same names are plain NumPy functions.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from dpmc.methods.kernels.vectors import (
    BYTES,
    REGISTERS,
    Vector,
    address_of,
    lanes_of,
    load_from,
    store_to,
)

# the sums, those of one more row and a row of operands fit the registers
if BYTES == 64:
    TILE_ROWS, TILE_VECTORS = 8, 3
else:
    TILE_ROWS, TILE_VECTORS = 4, 4 if REGISTERS == 32 else 2


@intrinsic(prefer_literal=True)
def add_tile(typingctx, total, panel, depth, row, column, extra, rows, vectors, sign):
    """Add sign * sum over k < depth of panel[k, i] panel[k, j] to total[i, j] for some i and j.

    i: ``rows`` from ``row`` on and, unless it is the constant 0, ``extra``; j: ``vectors`` vectors
    from ``column`` on. The last three arguments are constants. ``panel`` may be ``total`` if the
    block lies below its first ``depth`` rows.
    """
    kind = Vector(total.dtype)
    # numba tells implementations apart by this signature: it must keep the constants
    signature = types.void(total, panel, depth, row, column, extra, rows, vectors, sign)
    rows, vectors, sign = (constant.literal_value for constant in (rows, vectors, sign))
    with_extra = getattr(extra, "literal_value", 1) != 0

    def generate(context, builder, sig, args):
        depth, row, column, extra = (
            context.cast(builder, args[n], sig.args[n], types.intp) for n in range(2, 6)
        )
        integer = depth.type
        lines = [builder.add(row, integer(i)) for i in range(rows)] + [extra] * with_extra
        columns = [builder.add(column, integer(v * kind.lanes)) for v in range(vectors)]

        def address(which, i, j):
            return address_of(context, builder, sig.args[which], args[which], i, j)

        def phi(llvm_type, *incoming):
            node = builder.phi(llvm_type)
            for value, block in incoming:
                node.add_incoming(value, block)
            return node

        before = builder.block
        loop, after = builder.append_basic_block("tile"), builder.append_basic_block("tile.end")
        places = [address(0, i, j) for i in lines for j in columns]
        starts = [load_from(builder, kind, place) for place in places]
        builder.cbranch(builder.icmp_signed(">", depth, integer(0)), loop, after)

        builder.position_at_end(loop)
        k = phi(integer, (integer(0), before))
        sums = [phi(kind.llvm(), (start, before)) for start in starts]
        rights = [load_from(builder, kind, address(1, k, j)) for j in columns]
        updates = []
        for i in lines:
            left = builder.load(address(1, k, i))
            left = kind.broadcast(builder, builder.fneg(left) if sign < 0 else left)
            for right in rights:
                before_it = sums[len(updates)]
                updates.append(kind.call(builder, "fmuladd", left, right, before_it))
        following = builder.add(k, integer(1))
        for node, value in zip([k, *sums], [following, *updates], strict=True):
            node.add_incoming(value, loop)
        builder.cbranch(builder.icmp_signed("<", following, depth), loop, after)

        builder.position_at_end(after)
        results = [
            phi(kind.llvm(), (start, before), (update, loop))
            for start, update in zip(starts, updates, strict=True)
        ]
        for result, place in zip(results, places, strict=True):
            store_to(builder, kind, result, place)
        return context.get_dummy_value()

    return signature, generate


@intrinsic(prefer_literal=True)
def factorize_block(typingctx, total, row, before, pivots):
    """Factorize the `TILE_ROWS` x `TILE_ROWS` block on the diagonal at ``row``: U^T U = block.

    U replaces the block, and its rows are completed as far as the vectors go that start ``before``
    (a constant) numbers in front of it. pivots[i] becomes 1 / U[i, i]. A pivot below pivots[i]
    counts as that.
    """
    kind = Vector(total.dtype)
    signature = types.void(total, row, before, pivots)
    before = before.literal_value
    index = ir.VectorType(ir.IntType(32), kind.lanes)

    def generate(context, builder, sig, args):
        integer = args[1].type
        lines = [builder.add(args[1], integer(i)) for i in range(TILE_ROWS)]
        first = builder.sub(args[1], integer(before))
        columns = [builder.add(first, integer(j)) for j in range(0, before + TILE_ROWS, kind.lanes)]
        places = [
            [address_of(context, builder, sig.args[0], args[0], i, j) for j in columns]
            for i in lines
        ]
        block = [[load_from(builder, kind, place) for place in line] for line in places]
        pivots = context.make_array(sig.args[3])(context, builder, args[3]).data
        scalar = kind.llvm().element
        root = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(scalar, [scalar]),
            f"llvm.sqrt.f{kind.dtype.bitwidth}",
        )
        for i, line in enumerate(lines):
            vector, lane = divmod(before + i, kind.lanes)
            pivot = builder.extract_element(block[i][vector], ir.IntType(32)(lane))
            place = builder.gep(pivots, [line])
            smallest = builder.load(place)
            large = builder.fcmp_ordered(">", pivot, smallest)
            pivot = builder.fdiv(
                scalar(1), builder.call(root, [builder.select(large, pivot, smallest)])
            )
            builder.store(pivot, place)
            pivot = kind.broadcast(builder, pivot)
            block[i] = [builder.fmul(vector, pivot) for vector in block[i]]
            for below in range(i + 1, TILE_ROWS):
                vector, lane = divmod(before + below, kind.lanes)
                source = builder.fneg(block[i][vector])
                lanes = ir.Constant(index, [lane] * kind.lanes)
                factor = builder.shuffle_vector(source, source, lanes)
                block[below] = [
                    kind.call(builder, "fmuladd", factor, above, vector)
                    for above, vector in zip(block[i], block[below], strict=True)
                ]
        for line, vectors in zip(places, block, strict=True):
            for place, vector in zip(line, vectors, strict=True):
                store_to(builder, kind, vector, place)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def divide_by_block(typingctx, total, row, column, pivots):
    """Multiply the vectors that start at total[row:row + TILE_ROWS, column] by U^-T.

    U is the block on the diagonal at ``row``, see `factorize_block`.
    """
    kind = Vector(total.dtype)

    def generate(context, builder, sig, args):
        integer = args[1].type
        lines = [builder.add(args[1], integer(i)) for i in range(TILE_ROWS)]
        pivots = context.make_array(sig.args[3])(context, builder, args[3]).data

        def address(i, j):
            return address_of(context, builder, sig.args[0], args[0], i, j)

        block = [load_from(builder, kind, address(i, args[2])) for i in lines]
        for i, line in enumerate(lines):
            pivot = kind.broadcast(builder, builder.load(builder.gep(pivots, [line])))
            block[i] = builder.fmul(block[i], pivot)
            for below in range(i + 1, TILE_ROWS):
                factor = builder.fneg(builder.load(address(line, lines[below])))
                factor = kind.broadcast(builder, factor)
                block[below] = kind.call(builder, "fmuladd", factor, block[i], block[below])
        for line, vector in zip(lines, block, strict=True):
            store_to(builder, kind, vector, address(line, args[2]))
        return context.get_dummy_value()

    return types.void(total, types.intp, types.intp, pivots), generate


if config.DISABLE_JIT:

    def add_tile(total, panel, depth, row, column, extra, rows, vectors, sign):
        lines = [*range(row, row + rows), *[extra] * (extra != 0)]
        block = slice(column, column + vectors * lanes_of(total))
        total[lines, block] += sign * panel[:depth, lines].T @ panel[:depth, block]

    def factorize_block(total, row, before, pivots):
        columns = slice(row - before, row - before + max(lanes_of(total), TILE_ROWS))
        for i in range(row, row + TILE_ROWS):
            pivots[i] = 1 / np.sqrt(max(total[i, i], pivots[i]))
            total[i, columns] *= pivots[i]
            below = slice(i + 1, row + TILE_ROWS)
            total[below, columns] -= np.outer(total[i, below], total[i, columns])

    def divide_by_block(total, row, column, pivots):
        columns = slice(column, column + lanes_of(total))
        for i in range(row, row + TILE_ROWS):
            total[i, columns] *= pivots[i]
            below = slice(i + 1, row + TILE_ROWS)
            total[below, columns] -= np.outer(total[i, below], total[i, columns])
