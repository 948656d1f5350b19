"""Write an R data file with a realRatingMatrix, byte by byte (R Internals, serialization)."""

import gzip
import struct

SYMBOL, PAIRLIST, CHARACTER, INTEGER, REAL, STRING, LIST, S4, END = 1, 2, 9, 13, 14, 16, 19, 25, 254
OBJECT, ATTRIBUTES, TAG, S4_BIT = 1 << 8, 1 << 9, 1 << 10, 1 << 16


def _int(*numbers):
    return struct.pack(f">{len(numbers)}i", *numbers)


def _char(text):
    return _int(CHARACTER | 64 << 12, len(text.encode())) + text.encode()


def integers(values):
    return _int(INTEGER, len(values), *values)


def reals(values):
    return _int(REAL, len(values)) + struct.pack(f">{len(values)}d", *values)


def strings(values):
    return _int(STRING, len(values)) + b"".join(map(_char, values))


def vector(values):
    return _int(LIST, len(values)) + b"".join(values)


def _pairs(entries):
    cells = (
        _int(PAIRLIST | TAG) + _int(SYMBOL) + _char(name) + value for name, value in entries.items()
    )
    return b"".join(cells) + _int(END)


def s4(class_name, **slots):
    flags = S4 | OBJECT | ATTRIBUTES | S4_BIT
    return _int(flags) + _pairs({**slots, "class": strings([class_name])})


def write(path, **objects):
    header = b"RDX2\nX\n" + _int(2, 0x40200, 0x20300)
    path.write_bytes(gzip.compress(header + _pairs(objects)))


def sparse(pointers, rows, values, users, items):
    """Return a dgCMatrix, shape (users, items) given by their labels."""
    return s4(
        "dgCMatrix",
        i=integers(rows),
        p=integers(pointers),
        Dim=integers([len(users), len(items)]),
        Dimnames=vector([strings(users), strings(items)]),
        x=reals(values),
    )
