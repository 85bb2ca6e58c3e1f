# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the documents tell a reader to type: their blocks, the commands in these.

A command block is fenced or indented, or a table whose first column is headed "command", or an
example of the manual page. In ```console, or where the first line begins with "$ ", commands stand
after "# " or "$ ", each followed by its output. There "..." is any text in a line; as a line of its
own, any number of lines."""

import functools
import json
import re
import subprocess
import sys
from dataclasses import dataclass

from conftest import TOP, rqspin
from markdown_it import MarkdownIt

sys.path.append(str(TOP / "docs/site"))
import stage  # noqa: E402

# The site shows what the build makes of it.
MANUAL = "docs/rqspin.8.in"
MARK = re.compile(r"<!-- (\w+): (\S+) -->")


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    kind: str  # "indented", "table", "manual", "plain" (a fence without a word), a fence's word
    text: str
    mark: tuple = ()  # what the comment before it says: (word, name)

    @property
    def begins(self):
        """Its first line, without a comment."""
        line = self.text.lstrip("\n").partition("\n")[0]
        return line if line.startswith("# ") else bare(line).strip()

    def __str__(self):
        return f"{self.page}:{self.line}"


@functools.cache
def pages():
    """README, and all that the site has; other documents have no blocks."""
    made = {"docs/schemas": None, "docs/manual": MANUAL}
    names = [made.get(page, f"{page}.md") for page in stage.pages()]
    return ["README.md", *filter(None, names)]


@functools.cache
def blocks(page):
    if page == MANUAL:
        return list(manual_blocks(page))
    return list(markdown_blocks(page, (TOP / page).read_text()))


def manual_blocks(page):
    """Its examples, which are in the command's tables, as the build writes them into it."""
    tables = json.loads(rqspin("--dump-tables").stdout)
    for i, example in enumerate(e for v in tables["verbs"] for e in v["examples"]):
        yield Block(page, i + 1, "manual", "\n".join(example["lines"]) + "\n")


def markdown_blocks(page, text):
    mark, tokens = (), MarkdownIt("commonmark").enable("table").parse(text)
    for i, token in enumerate(tokens):
        if token.type == "code_block":
            yield Block(page, token.map[0] + 1, "indented", token.content)
        elif token.type == "fence":
            yield Block(page, token.map[0] + 2, token.info or "plain", token.content, mark)
        elif token.type == "table_open":
            yield from table_block(page, tokens[i:])
        if token.map and token.nesting >= 0:
            found = MARK.match(token.content) if token.type == "html_block" else None
            mark = found.groups() if found else ()


def table_block(page, tokens):
    """The code in the first cells of a table of commands, a line for each."""
    cells = [tokens[i + 1] for i, t in enumerate(tokens) if t.type in ("th_open", "td_open")]
    width = sum(t.type == "th_open" for t in upto(tokens, "thead_close"))
    if cells[0].content.lower() == "command":
        rows = len(list(t for t in upto(tokens, "table_close") if t.type == "tr_open"))
        first = [c for cell in cells[: rows * width : width] for c in cell.children]
        code = [c.content for c in first if c.type == "code_inline"]
        yield Block(page, tokens[0].map[0] + 1, "table", "\n".join(code) + "\n")


def upto(tokens, kind):
    for token in tokens:
        yield token
        if token.type == kind:
            return


def commands(block):
    """(command, its output or None) of each; none if these are no commands."""
    if block.kind == "console" or block.text.startswith("$ "):
        for part in re.split(r"^[#$] ", block.text, flags=re.M)[1:]:
            line, _, output = part.partition("\n")
            yield line, output
    else:
        for command in split(block.text):
            yield command, None


def split(text):
    """Whole commands, however many lines each has, without comments."""
    command = ""
    for line in text.splitlines():
        line = line if re.search(r"<<-?\s*['\"]?\w", command) else bare(line)
        if line or command:
            command += line + "\n"
        # What runs in the background does so beside the next command.
        if command and complete(command) and not line.endswith("&"):
            yield command.rstrip("\n")
            command = ""
    if command:
        assert complete(command), f"no whole command: {command}"
        yield command.rstrip("\n")


def bare(line):
    quote = ""
    for i, c in enumerate(line):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "#" and (i == 0 or line[i - 1].isspace()):
            return line[:i].rstrip()
    return line.rstrip()


def complete(command):
    """As the shell sees it, which warns of a here-document without an end, and no more."""
    res = subprocess.run(["bash", "-n", "-c", command], capture_output=True)
    return not command.endswith("\\\n") and res.returncode == 0 and not res.stderr


def pattern(output):
    """That of the output which a document shows."""
    lines = []
    for line in output.splitlines():
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(part) for part in line.split("...")) + r"\n")
    return "".join(lines)
