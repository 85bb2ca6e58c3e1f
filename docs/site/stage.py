#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""stage.py FOLDER: copy the pages of the site to where Sphinx reads them, in the folders of the
tree, so that links between them hold. Links to files that are no pages become names of files."""

import json
import pathlib
import re
import shutil
import sys

from conf import TOP

HERE = pathlib.Path(__file__).resolve().parent
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def pages():
    """Those of the index, in its order."""
    text = (HERE / "index.md").read_text()
    for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.S):
        yield from (line for line in block.splitlines() if line and not line.startswith(":"))


def relink(text, page, known):
    def one(match):
        label, target = match[1], match[2]
        if re.match(r"[a-z]+:", target):
            return match[0]
        path = (TOP / page).parent.joinpath(target).resolve()
        if not path.exists():
            raise SystemExit(f"{page}.md: no file {target}")
        name = path.relative_to(TOP)
        if str(name.with_suffix("")) in known and path.suffix == ".md":
            return match[0]
        return f"{label} (`{name}`)" if label != f"`{name}`" else label

    return LINK.sub(one, text)


def manual():
    """The manual page as text: the build has made it."""
    text = (TOP / "build/docs/rqspin.8.txt").read_text()
    return f"# Manual page\n\n```text\n{text}```\n"


def schemas():
    """What each JSON schema says of itself."""
    lines = ["# JSON schemas", "", "| schema | what | file |", "|---|---|---|"]
    for path in sorted((TOP / "docs").glob("*.schema.json")):
        schema = json.loads(path.read_text())
        lines.append(f"| `{schema['$id']}` | {schema['title']} | `docs/{path.name}` |")
    return "\n".join(lines) + "\n"


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    known = set(pages())
    made = {"docs/schemas": schemas(), "docs/manual": manual()}
    for page in known:
        text = made.get(page) or relink((TOP / f"{page}.md").read_text(), page, known)
        out = folder / f"{page}.md"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)
    for name in ("index.md", "conf.py"):
        shutil.copy(HERE / name, folder / name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
