"""Reading pages of the report as a browser does, as far as tests ask."""

from functools import cached_property
from html.parser import HTMLParser

from dpmc_studies.frame.jobs.plan import INDEX, NUMBERS, page_file

VOID = {"meta", "link", "input", "img", "br"}


class Page(HTMLParser):
    """Collects what the tests ask about, of several pages one after another; fails if tags do not
    nest."""

    def __init__(self, *texts):
        super().__init__()
        self.tags, self.around, self.open, self.text = [], [], [], []
        self.spoken = []
        for text in texts:
            self.feed(text)
            assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.around.append(tuple(self.open))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text.append(data)
            self.spoken.append((tuple(self.open), data))

    def texts_of(self, tag):
        """Return the texts inside of all of one kind."""
        return [" ".join(data.split()) for around, data in self.spoken if tag in around]

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def inside(self, tag):
        """Return the tags inside of all of one kind, which holds none of its own."""
        return [
            found for found, around in zip(self.tags, self.around, strict=True) if tag in around
        ]

    @cached_property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    @cached_property
    def words(self):
        return " ".join(" ".join(self.text).split())


def all_pages(folder, studies):
    """Return all pages of a report, the first one first, as one."""
    names = (INDEX, *map(page_file, studies), NUMBERS)
    return Page(*((folder / name).read_text(encoding="utf-8") for name in names))
