"""Parameters by scikit-learn's conventions, without scikit-learn."""

import inspect
import reprlib

from dpmc.errors import InputError, did_you_mean


class Parameters:
    """A class whose constructor stores each of its parameters as given, under its own name.

    So ``sklearn.base.clone`` can copy what derives from it, and others can search over it.
    """

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters by name; ``deep`` makes no difference, as none has its own."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params):
        """Set parameters by name and return the object.

        Raises
        ------
        InputError
            An unknown name; nothing is set then.
        """
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no parameter '{name}'{did_you_mean(name, known)}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the call that makes such an object, without defaults and long values cut short."""
        shown = []
        for name, parameter in inspect.signature(type(self)).parameters.items():
            text = " ".join(reprlib.repr(getattr(self, name)).split())
            if text != reprlib.repr(parameter.default):
                shown.append(f"{name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"
