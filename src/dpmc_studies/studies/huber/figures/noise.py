"""Figures 2.5, 2.6 and 4.1 to 4.4 of the thesis: the densities of the noise.

The values in ``figures.yaml`` for figures 2.5, 2.6 and 4.2 are our choice: the text of the thesis
does not state their parameters, and we have not seen the figures' legends.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc_studies.frame.showing.panels import Axis, Curve, Level, Panel, draw_panels, handle
from dpmc_studies.frame.showing.style import (
    BLACK,
    COLUMN,
    GREEN,
    GREY,
    MECHANISMS,
    SERIES,
    SKY,
    VERMILLION,
    Drawing,
    Look,
)
from dpmc_studies.mechanism_facts import published_inverse_cdf

LAWS = {"gaussian": Gaussian, "laplace": Laplace, "huber": Huber}
SAMPLES = 1_000_000
SAMPLE_SEED = 43  # fixed: the histogram is the same on every run
SAMPLE_PARAMETER = 1.0
BINS = np.linspace(-6.0, 6.0, 121)
HISTOGRAMS = [
    Patch(color=SKY, label="corrected inverse"),
    handle("inverse as published", Look(VERMILLION, "", "--")),
    handle(f"density, $a$ = {SAMPLE_PARAMETER:g}", Look(BLACK, "")),
]


def densities(law: str, parameters: Sequence[float], label: str) -> Drawing:
    """Draw the densities of a law for some parameters, which ``label`` names.

    Laplace densities exp(-|x|/b)/(2b) for scales b, normal ones for standard deviations, Huber
    ones of scale 1 for a.
    """
    return _densities({label.format(value): LAWS[law](value) for value in parameters})


def densities_at_variance(variance: float) -> Drawing:
    """Draw the densities of the three laws at a variance."""
    drawn = {name.capitalize(): law.from_variance(variance) for name, law in LAWS.items()}
    return _densities(drawn, [MECHANISMS[name] for name in LAWS], 6.0)


def _densities(drawn: Mapping, looks: Sequence[Look] = SERIES, reach: float = 8.0) -> Drawing:
    x = np.linspace(-reach, reach, 401)
    data = pd.DataFrame({"x": x, **{label: noise.pdf(x) for label, noise in drawn.items()}})
    lines = [  # with a marker in the middle
        Curve(data.assign(mean=data[label]), look, label, width=1.2, every=(200, 401))
        for label, look in zip(drawn, looks, strict=False)
    ]
    panel = Panel("", _noise(reach), Axis("Density", limits=(0, None)), lines, legend="upper right")
    return _column(panel, data.rename(columns=lambda name: name.replace("$", "")))


def _noise(reach: float) -> Axis:
    return Axis("Noise $x$ (units of the noised sum)", limits=(-reach, reach))


def _column(panel: Panel, data: pd.DataFrame) -> Drawing:
    return draw_panels([panel], data, width=COLUMN, height=2.5, head=0)


def inverse_cdf_histogram() -> Drawing:
    """Draw a histogram of 1,000,000 samples by the inverse distribution function, and the density.

    The samples use the corrected third branch of the inverse; equation 4.4 of the thesis lacks a
    minus sign. A second histogram shows the result of the equation as printed.
    """
    mechanism, width = Huber(SAMPLE_PARAMETER), np.diff(BINS)
    uniform = np.random.default_rng(SAMPLE_SEED).random(SAMPLES)
    counts, _ = np.histogram(mechanism.ppf(uniform), bins=BINS)
    as_published, _ = np.histogram(published_inverse_cdf(uniform, SAMPLE_PARAMETER), bins=BINS)
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

    def histograms(axes) -> None:
        axes.stairs(data["histogram_density"], BINS, fill=True, color=SKY, zorder=1)
        axes.stairs(data["histogram_density_as_published"], BINS, color=VERMILLION, linestyle="--")
        axes.legend(handles=HISTOGRAMS, loc="upper right")

    x = np.linspace(BINS[0], BINS[-1], 601)
    curve = Curve(pd.DataFrame({"x": x, "mean": mechanism.pdf(x)}), Look(BLACK, ""), width=1)
    scale = Axis("Density", limits=(0, 0.72))
    return _column(Panel("", _noise(6), scale, [curve], more=histograms), data)


def variance_curve() -> Drawing:
    """Draw the variance of Huber noise (scale 1) against a, with its asymptote 1."""
    marks = [Huber.from_variance(float(variance)) for variance in (4, 3, 2, 1)]
    series = {"curve": map(Huber, np.geomspace(0.3, 8.0, 200)), "papers": marks}
    drawn = {
        name: pd.DataFrame([(law.a, float(law.var())) for law in laws], columns=["x", "mean"])
        for name, laws in series.items()
    }

    panel = Panel(
        "",
        x=Axis("Parameter $a$", limits=(0, 8)),
        y=Axis("Variance (scale 1)", log=True, ticks=(1, 2, 3, 4, 10, 20), limits=(0.8, 30)),
        curves=[
            Curve(drawn["curve"], Look(GREEN, ""), "Huber noise", width=1.2),
            Curve(drawn["papers"], Look(BLACK, "D", "none"), size=3),
        ],
        levels=[Level(1.0, Look(GREY, "", "--"), "limit 1 (Gaussian)")],
        legend="upper right",
    )
    data = pd.concat(drawn, names=["series"]).reset_index("series")
    data = data.rename(columns={"x": "a", "mean": "variance"})
    return _column(panel, data.sort_values(["series", "a"]))
