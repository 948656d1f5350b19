"""Options that several commands of the reproduction have."""

from collections.abc import Callable, Sequence

import click


def config_option(text: str) -> Callable[[Callable], Callable]:
    """Return the option that names configuration files, later ones last; it may be given again.

    A value may name several files, as CONFIG does for make.
    """

    def files(ctx, option, values: Sequence[str]) -> list[str]:
        from dpmc_studies.yaml_files import named_files

        return [file for value in values for file in named_files(value)]

    text = f"{text} Several are laid over each other from left to right; may be given again."
    return click.option("--config", multiple=True, metavar="FILES", callback=files, help=text)
