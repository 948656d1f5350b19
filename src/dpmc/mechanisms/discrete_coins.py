"""Exact coins from random bits, with integers only."""

import secrets
from collections.abc import Callable

Bits = Callable[[int], int]
"""``bits(k)`` returns k independent fair bits as an integer in [0, 2^k)."""

_WORD = 32
_BLOCK = 512  # bytes taken from the operating system at a time, because each request is slow


def secure_bits() -> Bits:
    """Return a source of bits for cryptographic use, from :func:`secrets.token_bytes`.

    It holds bits in store, each used once: make one for each use, do not keep it across a fork.
    """
    store, left = 0, 0

    def bits(k: int) -> int:
        nonlocal store, left
        if left < k:
            need = max(_BLOCK, k // 8 + 1)
            store, left = int.from_bytes(secrets.token_bytes(need)), 8 * need
        left -= k
        value = store & ((1 << k) - 1)
        store >>= k
        return value

    return bits


def coin(n: int, d: int, bits: Bits) -> bool:
    """Return True with probability n/d, 0 <= n/d <= 1.

    A uniform number is compared with n/d by words of its binary digits. One word decides, except in
    one case of 2^32, for every size of d.
    """
    while True:
        whole, n = divmod(n << _WORD, d)
        word = bits(_WORD)
        if word != whole:
            return word < whole
