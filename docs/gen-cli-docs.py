#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Make the man page or the bash completion from the command's own tables.

rqspin --dump-tables | gen-cli-docs.py man TEMPLATE
rqspin --dump-tables | gen-cli-docs.py completion TEMPLATE
A template's line of the form @NAME@ is replaced; an unknown or unused name is an error.
"""

import json
import re
import sys


def roff(text):
    """Text as roff source: hyphens that can be copied, no line that is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def flags(option):
    """The spellings of an option: ["-v", "--verbose"]."""
    short = [f"-{option['key']}"] if "key" in option else []
    return short + [f"--{option['name']}"]


def man_option(option):
    arg = option.get("arg")
    long_arg = f"[=\\fI{arg}\\fR]" if option["optional"] else f"=\\fI{arg}\\fR"
    heads = []
    for flag in flags(option):
        head = f"\\fB{roff(flag)}\\fR"
        if arg:
            short_arg = f"[\\fI{arg}\\fR]" if option["optional"] else f" \\fI{arg}\\fR"
            head += long_arg if flag.startswith("--") else short_arg
        heads.append(head)
    return [".TP", ", ".join(heads), roff(option.get("doc", "")) + "."]


def man_verb(verb):
    synopses = [s.strip() for s in verb.get("args", "").split("\n")]
    lines = [f".SS {verb['name']}"]
    for synopsis in synopses:
        lines += [f".B rqspin {verb['name']}", f"[\\fIOPTION\\fR...] {roff(synopsis)}", ".br"]
    lines[-1] = ".PP"
    for part in re.split(r"[\v\n]+", verb.get("doc") or verb["summary"] + "."):
        lines += [roff(part), ".PP"]
    lines.pop()
    for option in verb["options"]:
        lines += man_option(option)
    return lines


def man_sources(tables):
    lines = []
    for source in tables["sources"]:
        lines += [".TP", f".B {roff(source['name'])}", roff(source["what"]) + "."]
    return lines


def man_samples(tables):
    lines = []
    for sample in tables["samples"]:
        lines += [".TP", f".B {roff(sample['name'])}", roff(sample["shows"]) + "."]
    return lines


def man_map_types(tables):
    """One paragraph for all map types with the same operations."""
    types = {}
    for t in tables["map_types"]:
        types.setdefault(", ".join(t["ops"]), []).append(t["name"])
    lines = []
    for ops, names in types.items():
        lines += [".TP", f".B {', '.join(names)}", f"{ops}."]
    return lines


def man(tables):
    verbs = [line for verb in tables["verbs"] for line in man_verb(verb)]
    title = [f'.TH RQSPIN 8 "" "rqspin {tables["version"]}" "System Administration"']
    return {
        "TITLE": title,
        "VERBS": verbs,
        "SOURCES": man_sources(tables),
        "SAMPLES": man_samples(tables),
        "MAP_TYPES": man_map_types(tables),
    }


def option_words(tables):
    """Each option that takes a word, or a list of them: its spellings and the words."""
    seen = set()
    for option in (o for v in tables["verbs"] for o in v["options"] if "words" in o):
        if option["name"] not in seen:
            seen.add(option["name"])
            yield option, "|".join(flags(option))


def with_arg(tables, keep=lambda option: True):
    """The spellings of all options with a value that `keep` wants, as a bash string."""
    spellings = {
        flag
        for verb in tables["verbs"]
        for option in verb["options"]
        if option.get("arg") and not option["optional"] and keep(option)
        for flag in flags(option)
    }
    return f"' {' '.join(sorted(spellings))} '"


def completion(tables):
    verbs = " ".join(v["name"] for v in tables["verbs"])
    options = [
        f"\t[{v['name']}]='{' '.join(f for o in v['options'] for f in flags(o))}'"
        for v in tables["verbs"]
    ]
    words = [
        f"\t{spellings}) _rqspin_live {option['name']} ;;"
        if option["words"] == "live"
        else f"\t{spellings}) echo {' '.join(option['words'])} ;;"
        for option, spellings in option_words(tables)
    ]
    return {
        "VERBS": [f"_rqspin_verbs='{verbs} help'"],
        "OPTIONS": options,
        "WITH_ARG": [f"_rqspin_with_arg={with_arg(tables)}"],
        "WITH_LIST": [f"_rqspin_with_list={with_arg(tables, lambda o: o['arg'] == 'LIST')}"],
        "WITH_FILE": [f"_rqspin_with_file={with_arg(tables, lambda o: o['arg'] == 'FILE')}"],
        "WORDS": words,
        "MAP_OPS": [f"\t[{t['name']}]='{' '.join(t['ops'])}'" for t in tables["map_types"]],
        "SAMPLES": [f"_rqspin_samples='{' '.join(s['name'] for s in tables['samples'])}'"],
    }


def fill(template, parts):
    used = set()
    for line in template:
        name = re.fullmatch(r"@([A-Z_]+)@", line.rstrip("\n"))
        if not name:
            yield line.rstrip("\n")
            continue
        used.add(name[1])
        yield from parts[name[1]]
    if unused := set(parts) - used:
        sys.exit(f"gen-cli-docs: the template has no @{'@, @'.join(sorted(unused))}@")


def main():
    kind, template = sys.argv[1:]
    tables = json.load(sys.stdin)
    parts = {"man": man, "completion": completion}[kind](tables)
    with open(template, encoding="utf-8") as f:
        print("\n".join(fill(f, parts)))


if __name__ == "__main__":
    main()
