"""A method that this file alone defines is fitted, written, verified, used, and has its card."""

import numpy as np
import pytest
from publication.forging import put, rewrite

from dpmc import methods
from dpmc.errors import InputError
from dpmc.methods.factorization.private_baselines import PrivateUserItemBias
from dpmc.methods.released import fit_folder
from dpmc.methods.released.verdict import Facts
from dpmc.methods.released.verify import card_of, verify
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.release import GridNoise
from dpmc.ratings import Ratings
from dpmc.released import load

FACTS = Facts("levels of items")


class Levels(PrivateUserItemBias):
    """One offset for all items, where those of the items are not far apart."""

    fixed = ()
    instead = {"levels": "one offset for all items"}  # noqa: RUF012
    why_instead = "Items hardly differ."
    outcome_counts = ("empty",)

    def _fit(self, ratings, statistics, randomness, callback):
        super()._fit(ratings, statistics, randomness, callback)
        self.fell_back_to_ = "levels" if np.ptp(self.item_offsets_) < self.shrinkage else None
        if self.fell_back_to_:
            self.item_offsets_ = np.full(self.shape_[1], self.item_offsets_.mean())
        self.empty_ = 3

    def ratings_in_words(self):
        return "stars"

    @classmethod
    def outcome_in_words(cls, fell_back_to, empty):
        return f"{super().outcome_in_words(fell_back_to)} {empty} items are empty."

    def impossible_outcome(self, outcome):
        return "more items are empty than there are" if outcome["empty"] > 9 else None

    def published_as(self, items):
        return {None} if np.ptp(items.offsets) else {"levels"}


@pytest.fixture
def folder(tmp_path):
    methods.register_method("levels")(Levels)
    users, items = np.divmod(np.arange(900), 9)
    labels = [f"u{n}" for n in range(100)], [f"i{n}" for n in range(9)]
    ratings = Ratings(users, items, 1 + items % 5.0, 100, 9, "drawn", None, *map(np.array, labels))
    model = Levels(
        relation="user_add_remove", epsilon=5, delta=1e-6, rating_range=(1, 5), ratings_per_user=9
    )
    model.fit(ratings, ledger=Ledger(GridNoise(model.calibration.noise), model.releases))
    fit_folder.write(tmp_path / "model", model, ("item_factors",), {})
    yield tmp_path / "model"
    del methods.METHODS["levels"], methods._registered["levels"]


def test_it_needs_nothing_outside_of_its_file(folder):
    verdict = verify(folder)
    assert not verdict.objections
    assert verdict.stated["method"] == "levels"
    assert verdict.stated["assumed_public"]["rating_range"] == "stars"
    assert verdict.stated["outcome"] == {"fell_back_to": "levels", "empty": 3}
    assert load(folder).best({"i3": 5}, 2).keys() <= {f"i{n}" for n in range(9)}
    said = "Fell back to levels: one offset for all items. Items hardly differ. If noise is the"
    card = card_of(folder, FACTS)
    assert said in card
    assert "they do not. 3 items are empty." in card
    (folder / "README.md").write_text(card, "utf-8")
    assert verify(folder).facts == FACTS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put({"fell_back_to": None, "empty": 3}, "outcome"), "not those of a fit that fell back"),
        (put({"fell_back_to": "means", "empty": 3}, "outcome"), "never falls back to 'means'"),
        (put({"fell_back_to": "levels", "empty": 12}, "outcome"), "more items are empty than"),
        (put({"fell_back_to": "levels"}, "outcome"), "if and only if the method"),
        (put("dots", "assumed_public", "rating_range"), "'dots', and from the other settings foll"),
        (put("global_mean", "method"), "global_mean is no method of dpmc fit"),
    ],
)
def test_what_it_says_is_what_is_checked(folder, change, said):
    with pytest.raises(InputError, match=said):
        verify(rewrite(folder, change))
