"""Figures 2.5, 2.6 and 4.1 to 4.4 of the thesis: the densities of the noise.

The thesis does not list the parameters of figures 2.5, 2.6 and 4.2; the values here are ours.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpmc.frame.showing.style import (
    BLACK,
    COLUMN,
    GREEN,
    GREY,
    MECHANISMS,
    SERIES,
    SKY,
    VERMILLION,
    Drawing,
    new_figure,
)
from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.mechanisms.facts import published_inverse_cdf

LAPLACE_SCALES = (0.5, 1.0, 2.0, 4.0)
STANDARD_DEVIATIONS = (0.5, 1.0, 2.0, 4.0)
HUBER_PARAMETERS = (0.3, 0.7, 1.0, 1.5, 3.0)
NOISE = "Noise $x$ (units of the noised sum)"
SAMPLES = 1_000_000
SAMPLE_SEED = 43  # fixed: the histogram is the same on every run
SAMPLE_PARAMETER = 1.0
BINS = np.linspace(-6.0, 6.0, 121)


def laplace_densities(_: Mapping[str, pd.DataFrame]) -> Drawing:
    """Thesis, figure 2.5: Laplace densities for several scales b, density exp(-|x|/b)/(2b)."""
    curves = {f"scale {scale:g}": Laplace(scale) for scale in LAPLACE_SCALES}
    return _densities(curves, SERIES, 8.0)


def normal_densities(_: Mapping[str, pd.DataFrame]) -> Drawing:
    """Thesis, figure 2.6: normal densities for several standard deviations."""
    curves = {f"std. dev. {scale:g}": Gaussian(scale) for scale in STANDARD_DEVIATIONS}
    return _densities(curves, SERIES, 8.0)


def densities_at_variance_two(_: Mapping[str, pd.DataFrame]) -> Drawing:
    """Thesis, figure 4.1: the three densities at variance 2."""
    classes = {"gaussian": Gaussian, "laplace": Laplace, "huber": Huber}
    curves = {name.capitalize(): cls.from_variance(2.0) for name, cls in classes.items()}
    return _densities(curves, [MECHANISMS[name] for name in classes], 6.0)


def huber_densities(_: Mapping[str, pd.DataFrame]) -> Drawing:
    """Thesis, figure 4.2: the Huber density as a changes (scale 1)."""
    curves = {f"$a$ = {a:g}": Huber(a) for a in HUBER_PARAMETERS}
    return _densities(curves, SERIES, 8.0)


def _densities(curves: Mapping, looks, reach: float) -> Drawing:
    x = np.linspace(-reach, reach, 401)
    figure = new_figure(COLUMN, 2.5)
    axes = figure.add_subplot()
    data = {"x": x}
    for (label, mechanism), look in zip(curves.items(), looks, strict=False):
        data[label.replace("$", "")] = density = mechanism.pdf(x)
        axes.plot(x, density, color=look.color, linestyle=look.line, label=label)
        axes.plot(x[200], density[200], look.marker, color=look.color)
    axes.set(xlabel=NOISE, ylabel="Density", xlim=(-reach, reach))
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper right", handlelength=2.6, labelspacing=0.3)
    return Drawing(figure, pd.DataFrame(data))


def inverse_cdf_histogram(_: Mapping[str, pd.DataFrame]) -> Drawing:
    """Thesis, figure 4.3: 1,000,000 samples by the inverse distribution function, and the density.

    The third branch of the inverse is the corrected one (equation 4.4 of the thesis lacks a
    minus sign); what the reported one gives is drawn over it.
    """
    mechanism = Huber(SAMPLE_PARAMETER)
    uniform = np.random.default_rng(SAMPLE_SEED).random(SAMPLES)
    counts, _ = np.histogram(mechanism.ppf(uniform), bins=BINS)
    as_published, _ = np.histogram(published_inverse_cdf(uniform, SAMPLE_PARAMETER), bins=BINS)
    width = np.diff(BINS)
    expected = np.diff(mechanism.cdf(BINS))
    data = pd.DataFrame(
        {
            "bin_low": BINS[:-1],
            "bin_high": BINS[1:],
            "count": counts,
            "histogram_density": counts / (SAMPLES * width),
            "histogram_density_as_published": as_published / (SAMPLES * width),
            "standard_error": np.sqrt(expected * (1 - expected) / SAMPLES) / width,
            "mean_density_of_bin": expected / width,
        }
    )
    figure = new_figure(COLUMN, 2.5)
    axes = figure.add_subplot()
    axes.stairs(
        data["histogram_density"], BINS, fill=True, color=SKY, label="corrected inverse", zorder=1
    )
    axes.stairs(
        data["histogram_density_as_published"],
        BINS,
        color=VERMILLION,
        linestyle="--",
        label="inverse as published",
    )
    x = np.linspace(BINS[0], BINS[-1], 601)
    axes.plot(
        x, mechanism.pdf(x), color=BLACK, linewidth=1, label=f"density, $a$ = {mechanism.a:g}"
    )
    axes.set(xlabel=NOISE, ylabel="Density", xlim=(-6, 6))
    axes.set_ylim(0, 0.72)
    axes.legend(loc="upper right")
    return Drawing(figure, data)


def describe_histogram(data: pd.DataFrame) -> str:
    """Say how far the histogram is from the density, in standard errors of a bin."""
    used = data[data["standard_error"] > 0]
    gap = (used["histogram_density"] - used["mean_density_of_bin"]) / used["standard_error"]
    return (
        f"The root mean square deviation of the {len(used)} bins from the density is "
        f"{np.sqrt(np.mean(gap**2)):.2f} standard errors (1 is expected)."
    )


def variance_curve(_: Mapping[str, pd.DataFrame]) -> Drawing:
    """Thesis, figure 4.4: variance of Huber noise (scale 1) against a, with its asymptote 1."""
    a = np.geomspace(0.3, 8.0, 200)
    variance = np.array([float(Huber(value).var()) for value in a])
    figure = new_figure(COLUMN, 2.5)
    axes = figure.add_subplot()
    axes.plot(a, variance, color=GREEN, label="Huber noise")
    axes.axhline(1.0, color=GREY, linestyle="--", linewidth=1, label="limit 1 (Gaussian)")
    marks = [Huber.from_variance(float(v)) for v in (4, 3, 2, 1)]
    for mechanism in marks:
        _mark_variance(axes, mechanism.a, float(mechanism.var()))
    axes.set(xlabel="Parameter $a$", ylabel="Variance (scale 1)", yscale="log", xlim=(0, 8))
    axes.set_ylim(0.8, 30)
    axes.set_yticks([1, 2, 3, 4, 10, 20], ["1", "2", "3", "4", "10", "20"])
    axes.minorticks_off()
    axes.legend(loc="upper right")
    extra = pd.DataFrame({"a": [m.a for m in marks], "variance": [float(m.var()) for m in marks]})
    curve = pd.DataFrame({"a": a, "variance": variance})
    data = pd.concat([curve, extra], keys=["curve", "papers"], names=["series"])
    return Drawing(figure, data.reset_index("series").sort_values(["series", "a"]))


def _mark_variance(axes, a: float, variance: float) -> None:
    axes.plot(a, variance, "D", color=BLACK, markersize=3)
    axes.annotate(
        f"$a$ = {a:.3g}",
        (a, variance),
        textcoords="offset points",
        xytext=(6, 2),
        fontsize=8,
    )
