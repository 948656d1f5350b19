"""Which noise needs the least for a budget: the table and the figure of docs/which-noise.md.

python benchmarks/which_noise.py [--figure docs/which_noise.png]

A release is a vector whose l2 sensitivity is 1. If one record changes one coordinate alone, its l1
sensitivity is 1, too; if it changes d coordinates alike, that is sqrt(d).
"""

import argparse
import math

from dpmc.privacy.calibration import calibrate

RELEASES, EPSILONS, COORDINATES, DELTA = (1, 10, 100), (0.5, 1, 5, 20), (1, 4, 16), 1e-6


def deviations(releases: int, epsilon: float, coordinates: int) -> dict[str, float]:
    """Return the deviation that each noise needs, relative to Gaussian noise."""
    budget = {"releases": releases, "epsilon": epsilon, "delta": DELTA}
    gaussian = calibrate("gaussian", **budget).noise.std()
    found = {}
    for name in ("laplace", "huber"):
        by_l1 = calibrate(name, **budget).noise.std() * math.sqrt(coordinates)
        by_l2 = calibrate(name, norm=2, **budget).noise.std()
        found[name] = min(by_l1, by_l2) / gaussian
    return found


def pure_epsilon(releases: int, epsilon: float) -> float:
    """Return what Huber noise by an l2 bound guarantees at delta 0, of one coordinate."""
    noise = calibrate("huber", releases=releases, epsilon=epsilon, delta=DELTA, norm=2).noise
    return releases * noise.epsilon(1.0)


def rows() -> list[str]:
    """Return the rows of the table."""
    found = []
    for releases in RELEASES:
        for epsilon in EPSILONS:
            cells = []
            for coordinates in COORDINATES:
                each = deviations(releases, epsilon, coordinates)
                cells.append(f"{each['laplace']:.2f}, {each['huber']:.3f}")
            pure = pure_epsilon(releases, epsilon)
            found.append(f"| {releases} | {epsilon:g} | {' | '.join(cells)} | {pure:.3g} |")
    return found


def draw(path: str) -> None:
    """Draw deviations over epsilon, a panel for each size of the vector."""
    import matplotlib.pyplot as plt
    import numpy as np

    figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True, layout="constrained")
    epsilons = np.geomspace(0.25, 40, 12)
    for panel, coordinates in zip(panels, COORDINATES, strict=True):
        for releases, line in zip(RELEASES, ("-", "--", ":"), strict=True):
            found = [deviations(releases, float(each), coordinates) for each in epsilons]
            for name, colour in (("laplace", "#d55e00"), ("huber", "#0072b2")):
                label = f"{name.capitalize()}, {releases} release{'s' * (releases > 1)}"
                values = [each[name] for each in found]
                panel.plot(epsilons, values, line, color=colour, label=label)
        panel.axhline(1, color="#555555", linewidth=0.8)
        panel.set(xscale="log", xlabel="epsilon at delta 1e-6", ylim=(0.15, 2))
        moved = "1 coordinate" if coordinates == 1 else f"{coordinates} coordinates alike"
        panel.set_title(f"a record changes {moved}", fontsize=10)
    panels[0].set_ylabel("deviation / that of Gaussian noise")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure")
    given = parser.parse_args()
    print("\n".join(rows()))
    if given.figure:
        draw(given.figure)
