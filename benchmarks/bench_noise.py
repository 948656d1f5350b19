"""How fast noise is drawn: Huber noise by three samplers, and exact noise.

    python benchmarks/bench_noise.py --repeats 21

All samplers run in one process, interleaved, each warmed up first; a row gives the median
nanoseconds a draw, and the ratios to the ziggurat. Two baselines invert the CDF: the library's
(``Huber.ppf``) and a version in NumPy and SciPy stripped to the fewest passes over the array. Exact
Gaussian noise has 2^40 steps.
"""

import argparse
import math
import time

import numpy as np
from scipy.special import erfinv

from dpmc.mechanisms import Huber
from dpmc.mechanisms.discrete import DiscreteGaussian


def inverse_cdf_stripped(noise, size, rng):
    """Inverse CDF in as few array operations as it takes (less accurate near +-a, large a)."""
    centred = rng.random(size) - 0.5
    mass = 2 * np.abs(centred)
    in_tail = mass > 1 - noise.tail_mass
    factor = 1 / (noise.pdf(0.0) * math.sqrt(2 * math.pi))
    z = math.sqrt(2) * erfinv(np.minimum(mass * factor, 1 - 1e-16))
    z[in_tail] = noise.a + np.log(noise.tail_mass / (1 - mass[in_tail])) / noise.a
    return np.copysign(z, centred)


SAMPLERS = {
    "ziggurat": lambda noise, size, rng: noise.rvs(size, rng),
    "inverse CDF": lambda noise, size, rng: noise.ppf(np.maximum(rng.random(size), 2.0**-54)),
    "inverse CDF, stripped": inverse_cdf_stripped,
    "normal (NumPy)": lambda noise, size, rng: rng.standard_normal(size),
}


def measure(a, size, repeats):
    """Median nanoseconds a draw of each sampler."""
    noise, rng = Huber(a), np.random.default_rng(1)
    seconds = {name: [] for name in SAMPLERS}
    for repeat in range(repeats + 2):
        for name, draw in SAMPLERS.items():
            start = time.perf_counter()
            draw(noise, size, rng)
            if repeat >= 2:
                seconds[name].append(time.perf_counter() - start)
    return {name: 1e9 * float(np.median(s)) / size for name, s in seconds.items()}


def measure_exact(repeats, size=200_000):
    """Median nanoseconds a draw of exact noise."""
    noise, seconds = DiscreteGaussian(2**40), []
    for _ in range(repeats):
        start = time.perf_counter()
        noise.draw(size)
        seconds.append((time.perf_counter() - start) / size)
    return 1e9 * float(np.median(seconds))


def main():
    """Print one table for each number of draws in a call, and one of exact noise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 200_000, 1_000_000])
    arguments = parser.parse_args()
    for size in arguments.sizes:
        print(f"\n{size:,} draws a call, median of {arguments.repeats}")
        print(f"{'a':>6}" + "".join(f"{name:>24}" for name in SAMPLERS))
        for a in (0.72, 1.08, 3.0):
            result = measure(a, size, arguments.repeats)
            cells = (f"{ns:.1f} ns ({ns / result['ziggurat']:.1f}x)" for ns in result.values())
            print(f"{a:>6}" + "".join(f"{cell:>24}" for cell in cells))
    print(f"\nexact Gaussian noise: {measure_exact(arguments.repeats):.0f} ns")


if __name__ == "__main__":
    main()
