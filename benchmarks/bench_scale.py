"""Time and memory of `dpmc fit` and `dpmc complete --top 10` against the number of ratings.

    python benchmarks/bench_scale.py [--millions .1 1 10]
    python benchmarks/bench_scale.py --store [--millions 1 10 100]

Each line is whole processes on two cores, from a Parquet file of generated ratings to a file with
the top 10 of all users: seconds, CPU seconds and the peak of memory. Beside them the same with
`implicit`, on the same file. See README.md for what is compared. Ends with status 1 if the largest
table takes longer or more memory than it may.

With `--store`: building a store of ratings in the shape of the Netflix Prize, a fit of it by blocks
and the top 10 of all users, whose lines `--table` writes, too, and `--plot` draws:

    python benchmarks/bench_scale.py --store --millions .1 1 10 100 --table benchmarks/scale.csv
    python benchmarks/bench_scale.py --table benchmarks/scale.csv --plot docs/scale.png

Of another shape, such as ten million users of 5 ratings, ten times a million of them:

    python benchmarks/bench_scale.py --store --shape 1000000 2000 5000000 --millions 50
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# nothing heavy: a process counts the memory of its parent as its own until it has begun

CORES = 2
TOP = 10
MOST_SECONDS, MOST_MEMORY = 15.0, 4.0  # GiB; the fit of 10 million ratings
FULL = 10.0  # million: ratings of the shape at scale 1
MOST_OF_STORES = {"store build": (180.0, 2.5), "fit": (150.0, 2.5)}  # of 100 million ratings
NETFLIX = (480_189, 17_770, 100_480_507)  # users, items, ratings
BILLION = (500_000, 100_000, 100_000_000)  # of which --millions 1000 has ten times as many users
COLUMNS = ("user", "item", "rating")
STEPS = ("store build", "fit", "complete")
LOOKS = {"o-": "#0072B2", "s-": "#D55E00", "^-": "#009E73"}  # marker and colour of each step
TABLE = ("ratings", "users", "items", "step", "seconds", "cpu_seconds", "peak_gib")
BUDGET = ("--epsilon", "5", "--relation", "user", "--items-are-public")
THEIR_FACTORS = 100  # by default


@dataclass(frozen=True)
class Used:
    """What processes took, one after the other.

    Attributes
    ----------
    seconds, cpu : float
    memory : float
        Peak, in GiB.
    """

    seconds: float
    cpu: float
    memory: float

    def __add__(self, other: "Used") -> "Used":
        return Used(
            self.seconds + other.seconds, self.cpu + other.cpu, max(self.memory, other.memory)
        )


def used_by(*command, printed: Path) -> Used:
    """Run a command, what it prints in a file, and return what it took."""
    begin = time.perf_counter()
    with open(printed, "wb") as stream:
        process = subprocess.Popen([str(word) for word in command], stdout=stream)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} ended with status {process.returncode}")
    seconds = time.perf_counter() - begin
    return Used(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20)


def generate(path, millions, shape=None):
    """Write ratings of the shape and the popularities of MovieLens 10M, in random order.

    Or of another number of users, items and ratings.
    """
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    from dpmc_studies.datasets import popular

    rng = np.random.default_rng(0)
    form = popular.MOVIELENS_10M if shape is None else popular.Form(*shape)
    copies = max(1, round(millions / round(form.ratings / 1e6)))
    scale = min(1.0, (millions / round(form.ratings / 1e6)) ** (2 / 3))
    rows = popular.generate(rng, form, scale)
    if copies > 1:
        copy_users(rng, path, rows, copies)
        return
    users = rows.per_rating(np.arange(1, rows.n_rows + 1, dtype=np.int32))
    order = rng.permutation(users.size)
    columns = (users[order], rows.indices[order] + 1, rows.values[order])
    parquet.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True))), path)
    print(f"{users.size:,} ratings, {rows.indptr.size - 1:,} x {rows.indices.max() + 1:,}")


def copy_users(rng, folder, rows, copies):
    """Write several times as many users, of whom so many have rated the same items each.

    With other noise of half a star, and in random order: in a folder of as many files, in each of
    which are ratings of all.
    """
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir()
    users = rows.per_rating(np.arange(1, rows.n_rows + 1, dtype=np.int32))
    types = pa.schema([("user", pa.int32()), ("item", pa.int32()), ("rating", pa.float64())])
    files = [parquet.ParquetWriter(folder / f"{part}.parquet", types) for part in range(copies)]
    for copy in range(copies):
        for file, part in zip(
            files, np.array_split(rng.permutation(users.size), copies), strict=True
        ):
            noise = rng.integers(-1, 2, part.size) / 2
            values = np.clip(rows.values[part] + noise, 0.5, 5.0)
            columns = (users[part] + copy * rows.n_rows, rows.indices[part] + 1, values)
            file.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True)), schema=types))
    for file in files:
        file.close()
    print(f"{copies} times {users.size:,} ratings of {rows.n_rows:,} users")


def recommend_with_implicit(path, output, factors):
    """Do what fit and complete do, as one would with `implicit`."""
    import numpy as np
    import pandas as pd
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    frame = pd.read_parquet(path)
    users, user_labels = pd.factorize(frame["user"], sort=True)
    items, item_labels = pd.factorize(frame["item"], sort=True)
    shape = (user_labels.size, item_labels.size)
    matrix = csr_matrix((frame["rating"].astype(np.float32), (users, items)), shape)
    model = AlternatingLeastSquares(factors=int(factors), num_threads=CORES, random_state=0)
    model.fit(matrix, show_progress=False)
    best, scores = model.recommend(np.arange(shape[0]), matrix, N=TOP)
    columns = (np.repeat(user_labels, TOP), item_labels[best.ravel()], scores.ravel())
    pd.DataFrame(dict(zip(COLUMNS, columns, strict=True))).to_parquet(output)


def with_dpmc(table, folder):
    """Return what fit and complete took, and how many factors were found."""
    model, output, printed = folder / "model", folder / "ours.parquet", folder / "fit.json"
    dpmc = (sys.executable, "-m", "dpmc")
    given = ("--ratings", table, *BUDGET, "--rating-range", "0.5", "5")
    fit = used_by(*dpmc, "fit", *given, "--output", model, "--json", printed=printed)
    given = ("--model", model, "--ratings", table, "--top", TOP, "--output", output)
    complete = used_by(*dpmc, "complete", *given, printed=os.devnull)
    return fit, complete, 1 + json.loads(printed.read_bytes())["rank"]  # and the users' level


def line(name, used, ours=None):
    """Print a line of the table; with the ratio to ours, if it is another."""
    ratio = (
        "" if ours is None else f"{used.seconds / ours.seconds:>8.1f}{used.cpu / ours.cpu:>6.1f}"
    )
    print(
        f"  {name:<34}{used.seconds:>7.1f} s{used.cpu:>8.1f} s{used.memory:>7.2f} GiB{ratio}",
        flush=True,
    )


def run(millions):
    """Print the lines of one table of ratings; return what ours took."""
    this = (sys.executable, __file__)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        table = folder / "ratings.parquet"
        subprocess.run([*this, "--generate", table, str(millions)], check=True)
        fit, complete, factors = with_dpmc(table, folder)
        ours = fit + complete
        line("dpmc fit", fit)
        line(f"dpmc complete --top {TOP}", complete)
        line(f"both ({factors} factors)", ours)
        for number in (factors, THEIR_FACTORS):
            command = (*this, "--implicit", table, folder / "theirs.parquet", number)
            line(f"implicit, {number} factors", used_by(*command, printed=os.devnull), ours)
    return fit


def run_store(millions, shape, rows):
    """Print the lines of a store, add them to rows, and return what its steps took, by step."""
    this, dpmc = (sys.executable, __file__), (sys.executable, "-m", "dpmc")
    with tempfile.TemporaryDirectory() as place:
        table, store, model = (Path(place) / name for name in ("table.parquet", "store", "model"))
        best = Path(place) / "best.parquet"
        generated = ("--generate", table, str(millions), "--shape", *map(str, shape))
        subprocess.run([*this, *generated], check=True)
        commands = (
            ("store", "build", table, "--output", store, "--quiet"),
            ("fit", "--ratings", store, *BUDGET, "--delta", "1e-9", "--rating-range", "0.5", "5",
             "--output", model, "--quiet"),
            ("complete", "--model", model, "--ratings", store, "--top", TOP, "--output", best),
        )  # fmt: skip
        found = {}
        for step, command in zip(STEPS, commands, strict=True):
            found[step] = used_by(*dpmc, *command, printed=os.devnull)
            line(f"dpmc {step}", found[step])
        facts = json.loads((store / "store.json").read_bytes())
        sizes = [facts[name] for name in ("ratings", "users", "items")]
        rows += [[*sizes, step, *vars(used).values()] for step, used in found.items()]
    return found


def plot(table, output):
    """Draw CPU seconds and memory of each step against the number of ratings."""
    import matplotlib.pyplot as plt

    with open(table, newline="") as stream:
        rows = list(csv.DictReader(stream))
    figure, (time_axis, memory_axis) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for step, look in zip(STEPS, LOOKS, strict=True):
        mine = sorted(
            (row for row in rows if row["step"] == step), key=lambda row: int(row["ratings"])
        )
        sizes, seconds, memory = (
            [float(row[name]) for row in mine] for name in ("ratings", "cpu_seconds", "peak_gib")
        )
        time_axis.loglog(sizes, seconds, look, color=LOOKS[look], label=step)
        memory_axis.semilogx(sizes, memory, look, color=LOOKS[look], label=step)
    ends = [sizes[-1] / 100, sizes[-1]]
    time_axis.loglog(ends, [5, 500], ":", color="0.5", label="in proportion")
    time_axis.set(xlabel="ratings", ylabel="CPU seconds")
    memory_axis.set(xlabel="ratings", ylabel="peak of memory, GiB", ylim=(0, None))
    time_axis.legend(frameon=False)
    figure.savefig(output)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", type=float, nargs="+", default=[0.1, 1.0, FULL])
    parser.add_argument("--store", action="store_true", help="stores, and what is made of them")
    parser.add_argument("--table", type=Path, help="CSV file to write, or to plot")
    parser.add_argument("--plot", type=Path, help="draw the table in this file, and nothing else")
    of = ("USERS", "ITEMS", "RATINGS")
    parser.add_argument("--shape", type=int, nargs=3, metavar=of, help="of the ratings in a store")
    parser.add_argument("--generate", nargs=2, metavar=("FILE", "MILLIONS"), help="only that")
    parser.add_argument("--cores", type=int, default=CORES, help="how many, of two")
    theirs = ("FILE", "OUTPUT", "FACTORS")
    parser.add_argument("--implicit", nargs=3, metavar=theirs, help="only that")
    given = parser.parse_args()
    if given.generate:
        generate(Path(given.generate[0]), float(given.generate[1]), given.shape)
        return 0
    if given.plot:
        plot(given.table, given.plot)
        return 0
    if given.implicit:
        recommend_with_implicit(*given.implicit)
        return 0
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # implicit asks for it
    print(f"{'':<36}{'wall':>7}{'CPU':>12}{'peak':>11}{'ratios of wall and CPU':>26}")
    if given.store:
        rows, full = [], NETFLIX[2] // 10**6
        for millions in given.millions:
            shape = given.shape or (BILLION if millions > 2 * full else NETFLIX)
            found = run_store(millions, shape, rows)
            if given.table:  # whole after each size
                with open(given.table, "w", newline="") as stream:
                    csv.writer(stream, lineterminator="\n").writerows([TABLE, *rows])
        targets = [(found[step], *MOST_OF_STORES[step]) for step in MOST_OF_STORES]
    else:
        full = FULL
        for millions in given.millions:
            fit = run(millions)
        targets = [(fit, MOST_SECONDS, MOST_MEMORY)]
    missed = False
    for ours, seconds, memory in targets if millions >= full else ():
        above = ours.seconds > seconds or ours.memory > memory
        print(f"target {seconds:g} s and {memory:g} GiB: {'missed' if above else 'met'}")
        missed |= above
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
