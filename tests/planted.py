"""Effects that are planted into made-up trials."""


def when(amount, **where):
    """Return the effect ``amount`` in the cells with these coordinates (a value or several)."""

    def effect(cell):
        for name, allowed in where.items():
            values = allowed if isinstance(allowed, list) else [allowed]
            if getattr(cell, name) not in values:
                return 0.0
        return amount

    return effect


def plus(*effects):
    return lambda cell: sum(effect(cell) for effect in effects)
