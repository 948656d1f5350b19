"""Keys, starts and noise for publication come from the operating system's random bits."""

import random
import secrets

import numpy as np
import pytest

from dpmc.mechanisms import Gaussian, Laplace
from dpmc.mechanisms.discrete_coins import secure_bits
from dpmc.methods import method_class
from dpmc.methods.private_choice import Keyed
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.release import GridNoise
from dpmc.ratings import Ratings

USERS, ITEMS = 30, 12


@pytest.fixture
def asked(monkeypatch):
    """The sizes of all requests for secret bits, by function."""
    found = {"token_bytes": [], "randbits": []}
    for name, sizes in found.items():
        function = getattr(secrets, name)

        def noted(size, function=function, sizes=sizes):
            sizes.append(size)
            return function(size)

        monkeypatch.setattr(secrets, name, noted)
    return found


def whole_matrix():
    users, items = np.divmod(np.arange(USERS * ITEMS), ITEMS)
    values = np.random.default_rng(0).uniform(1, 5, users.size)
    return Ratings(
        users, items, values, USERS, ITEMS,
        user_labels=np.array([f"user {number}" for number in range(USERS)]),
        item_labels=np.array([f"item {number}" for number in range(ITEMS)]),
    )  # fmt: skip


def fitted(name="private_als", relation="user_add_remove", **settings):
    """Fit for publication; return the model and the exact queries, which tell what was chosen."""
    settings |= {"ratings_per_user": 3} if relation.startswith("user") else {}
    settings |= {"rank": 2} if name == "private_als" else {}
    model = method_class(name)(
        relation=relation, epsilon=3.0, delta=0.01, rating_range=(1.0, 5.0), **settings
    )
    ledger = Ledger(GridNoise(model.calibration.noise), model.releases, keep=True)
    return model.fit(whole_matrix(), ledger=ledger), ledger.transcript


def test_a_fresh_choice_has_a_key_of_256_bits_and_a_start_of_its_own(asked):
    first, second = (Keyed.fresh(whole_matrix()) for _ in range(2))
    assert asked == {"token_bytes": [32, 32], "randbits": [256, 256]}
    rows = whole_matrix().by_user
    chosen = [each.choose(rows, 3).indices for each in (first, second)]
    assert (chosen[0] != chosen[1]).any()
    assert first.rng.random() != second.rng.random()


def test_secret_bits_come_from_the_system(asked):
    bits = secure_bits()
    drawn = [bits(64) for _ in range(1000)]
    assert len(set(drawn)) == 1000
    assert sum(asked["token_bytes"]) * 8 >= 64 * 1000


@pytest.mark.parametrize("noise", [Gaussian(), Laplace(1.0)])
def test_noise_is_made_of_secret_bits(noise, asked, monkeypatch):
    GridNoise(noise).add(np.zeros(5), 1.0)
    assert asked["token_bytes"]
    monkeypatch.setattr(secrets, "token_bytes", random.Random(1).randbytes)
    first = GridNoise(noise).add(np.zeros(5), 1.0)
    monkeypatch.setattr(secrets, "token_bytes", random.Random(1).randbytes)
    np.testing.assert_array_equal(GridNoise(noise).add(np.zeros(5), 1.0), first)


def test_the_same_secret_bits_give_the_same_fit(monkeypatch):
    # so nothing but these draws: the key, the start and the noise
    found = []
    for _ in range(2):
        monkeypatch.setattr(secrets, "token_bytes", random.Random(2).randbytes)
        monkeypatch.setattr(secrets, "randbits", random.Random(3).getrandbits)
        model, transcript = fitted()
        found.append([model.item_factors_, *(each.output for each in transcript)])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_each_secret_bit_is_used_once_and_as_it_came(monkeypatch):
    """In order within a block; what is too short for a request is thrown away."""
    blocks = [random.Random(seed).randbytes(512) for seed in range(40)]
    made = iter(blocks)
    monkeypatch.setattr(secrets, "token_bytes", lambda size: next(made)[:size])
    bits = secure_bits()
    requests = [5, 32, 41] * 1000
    drawn = [bits(k) for k in requests]
    expected, left = [], ""
    fresh = (f"{int.from_bytes(block):04096b}" for block in blocks)
    for k in requests:
        left = left if len(left) >= k else next(fresh)
        left, own = left[:-k], left[-k:]
        expected.append(int(own, 2))
    assert drawn == expected
    assert next(fresh) == f"{int.from_bytes(next(made)):04096b}"  # as many blocks


def test_constant_secrets_give_constant_noise(monkeypatch):
    # a Mersenne Twister in the place of secrets would not notice
    monkeypatch.setattr(secrets, "token_bytes", lambda size: b"\x5a" * size)
    drawn = [secure_bits()(256) for _ in range(2)]
    assert drawn[0] == drawn[1] == int.from_bytes(b"\x5a" * 32)
    keys = [Keyed.fresh(whole_matrix())._key for _ in range(2)]
    assert keys == [b"\x5a" * 32] * 2
