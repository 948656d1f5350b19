"""Labels numbered piece by piece: memory grows with how many there are, not with the rows."""

from dataclasses import dataclass

import numpy as np

from dpmc import labels
from dpmc.errors import InputError
from dpmc.publication import fields


@dataclass(frozen=True, eq=False)
class Labelled:
    """One label for each rating, as a code into the ascending labels.

    Attributes
    ----------
    codes : int32 array, shape (n_ratings,)
    labels : array, shape (n_labels,)
    """

    codes: np.ndarray
    labels: np.ndarray


class Numbering:
    """Numbers labels in the order in which they first come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # of labels, and of other spellings of them
        self._labels: list[str] = []

    @property
    def size(self) -> int:
        """How many labels there were."""
        return len(self._labels)

    def codes(self, column) -> np.ndarray:
        """Return the number of each text in an Arrow column, dictionary-encoded or not."""
        import pyarrow as pa
        from pyarrow import compute

        if not pa.types.is_dictionary(column.type):
            column = column.fill_null("").dictionary_encode()
        column = column.unify_dictionaries().combine_chunks()
        texts = column.dictionary.cast(pa.large_string()).fill_null("")
        if (compute.max(compute.binary_length(texts)).as_py() or 0) >= labels.LONGEST:
            raise InputError("A label must have less than 16 MiB.")
        try:
            known = [self._number(text) for text in texts.to_pylist()]
        except UnicodeDecodeError:
            raise InputError(f"A label holds {labels.NOT_UTF8}.") from None
        return np.array(known, dtype=np.int32)[column.indices.to_numpy(zero_copy_only=False)]

    def _number(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            label = labels.cleaned(text)
            number = self._numbers.setdefault(label, len(self._labels))
            if number == len(self._labels):
                self._labels.append(label)
            self._numbers[text] = number
        return number

    def labelled(self, codes: np.ndarray) -> Labelled:
        """Return numbers as codes into the labels, which are objects.

        An array of text would be as wide for all as the longest of them.
        """
        places, texts = self.labels()
        return Labelled(places[codes], np.array([*texts.to_pylist(), None], dtype=object)[:-1])

    def labels(self) -> tuple[np.ndarray, object]:
        """Return the place of each number among the labels, and these, ascending by code points.

        Returns
        -------
        places : int32 array, shape (size,)
        texts : pyarrow.LargeStringArray
        """
        import pyarrow as pa
        from pyarrow import compute

        texts = pa.array(self._labels, pa.large_string())
        order = compute.sort_indices(texts)  # of UTF-8, which is that of code points
        places = np.empty(self.size, dtype=np.int32)
        places[order.to_numpy()] = np.arange(self.size, dtype=np.int32)
        return places, texts.take(order)


def labelled(values, where: str, *, listed: bool = False) -> Labelled:
    """Return the labels of a column, see :func:`dpmc.publication.fields.spelled_column`."""
    numbering = Numbering()
    return numbering.labelled(numbering.codes(fields.spelled_column(values, where, listed=listed)))
