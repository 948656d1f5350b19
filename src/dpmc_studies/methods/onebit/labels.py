"""How figures and tables call the mechanisms of one-bit completion: plain text."""

MECHANISM_LABELS = {
    "inp": "InP",
    "objp_paper": "ObjP",
    "grap": "GraP",
    "outp_paper": "OutP, as published",
    "objp": "ObjP, corrected",
    "objp_literal": "ObjP, as published",
    "grap_paper": "GraP, scale C",
    "grap_gaussian": "GraP, Gaussian noise",
    "outp": "OutP, correct scale",
    "private_item_bias": "Item bias, private",
    "clear": "Clear",
    "zero": "Predict zero",
    "majority": "Majority sign",
    "item_bias": "Item bias",
}


def mechanism_label(name: str, link: str | None = None) -> str:
    """Return the label of a mechanism; ObjP has two scales with the Gaussian link, told apart."""
    label = MECHANISM_LABELS.get(name, name)
    return f"{label}, as published" if (name, link) == ("objp_paper", "gaussian") else label
