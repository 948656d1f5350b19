"""The script of a page in Node.js: what it computes, and the lists that it makes of that.

There is no browser: elements are plain objects that keep what is put into them. What a browser
alone can tell (keys, focus, layout, its policy) is tested with :mod:`browser`.
"""

import json
import re
import shutil
import subprocess

import pytest

PATIENCE = 60  # seconds for all answers of one page
PROGRAM = r"""
const vm = require("vm");
const {texts, script, asked} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const named = new Map();
class Element {
  constructor(text = "") {
    Object.assign(this, {parts: [text], attributes: {}, dataset: {}, value: ""});
    this.style = {setProperty() {}};
    this.classList = {toggle() {}};
  }
  get children() { return this.parts.filter(each => each instanceof Element); }
  get textContent() { return this.parts.map(each => each.textContent ?? each).join(""); }
  set textContent(text) { this.parts = [text]; }
  append(...parts) { this.parts.push(...parts); }
  prepend(...parts) { this.parts.unshift(...parts); }
  replaceChildren(...parts) { this.parts = parts; }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name === "id") named.set(value, this);
  }
  removeAttribute(name) { delete this.attributes[name]; }
  querySelector() { return this; }
  focus() {}
}
const document = {
  body: new Element(),
  createElement: () => new Element(),
  getElementById: id => {
    if (!named.has(id)) named.set(id, new Element(texts[id]));
    return named.get(id);
  },
};
const context = vm.createContext({
  document, atob, Blob, Response, DecompressionStream, clearTimeout, setTimeout: () => 0,
});
vm.runInContext(script, context);
const ready = () => "ready" in document.body.dataset ? answer() : setImmediate(ready);
const answer = () => console.log(
  JSON.stringify(asked.map(each => vm.runInContext(each, context) ?? null)));
ready();
"""


def needed() -> str:
    """Return the program, or skip the test and say what to install."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("Node.js is not installed (apt-get install nodejs)")
    return program


def evaluated(page: str, *asked: str) -> list:
    """Return the values of expressions, one after the other, once the page is ready."""
    texts = dict(re.findall(r'<script type="[^"]*" id="(\w+)">(.*?)</script>', page, re.S))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    given = json.dumps({"texts": texts, "script": script, "asked": asked})
    command = [needed(), "-e", PROGRAM]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=PATIENCE, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
