"""Published folders that were changed afterwards, by somebody who mends what shows it."""

import hashlib
import json

from publication.small_tables import guarantee_of

from dpmc.methods.released.verify_fit import guarantee_in


def rewrite(folder, change, resaid=True):
    """Change what a folder states, and its sentence along, as a careful forger would."""
    (path,) = folder.glob("*guarantee.json")
    stated = json.loads(path.read_text("utf-8"))
    change(stated)
    if resaid and "releases" in stated:
        stated["sentence"] = guarantee_in(stated).sentence()
    path.write_text(json.dumps(stated, indent=2) + "\n", "utf-8")
    return folder


def put(value, *place):
    def change(stated):
        for key in place[:-1]:
            stated = stated[key]
        stated[place[-1]] = value(stated[place[-1]]) if callable(value) else value

    return change


def both(*changes):
    return lambda stated: [change(stated) for change in changes]


def times(factor):
    return lambda number: number * factor


def smuggled(folder, name, text):
    """Put another file into a folder, with its digest."""
    (folder / name).write_bytes(text.encode())
    digest = hashlib.sha256(text.encode()).hexdigest()
    return rewrite(folder, put(lambda files: files | {name: digest}, "files"), resaid=False)


def mended(folder, change=lambda stated: None):
    """Let a folder state the digests that its files have."""
    names = guarantee_of(folder)["files"]
    found = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names
             if (folder / n).exists()}  # fmt: skip
    return rewrite(folder, both(put(found, "files"), change))
