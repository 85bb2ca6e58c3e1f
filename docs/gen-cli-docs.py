#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Make the man page or the completion of a shell from the command's own tables.

rqspin --dump-tables | gen-cli-docs.py man|bash|zsh|fish TEMPLATE
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


def man_examples(tables):
    lines = []
    for example in (e for v in tables["verbs"] for e in v["examples"]):
        lines += [".TP", f"{roff(example['what'])}:", ".nf"]
        lines += [roff(line) for line in example["lines"]] + [".fi"]
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
        "EXAMPLES": man_examples(tables),
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


def bash(tables):
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


# What a verb's arguments are: words, or files by their ending. Those of errno depend on each other.
FILES = {"check": "o", "run": "o", "report": "jsonl", "replay": "jsonl"}
COMMANDS = {"trace", "stat", "top"}


def zsh_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_value(option):
    """How a value is completed: an action of _arguments."""
    if option.get("words") == "live":
        return f"_rqspin_live {option['name']}"
    if "words" in option:
        words = " ".join(option["words"])
        return f"_values -s , {option['arg']} {words}" if option["arg"] == "LIST" else f"({words})"
    return {"FILE": "_files", "DIR": "_files -/"}.get(option["arg"], " ")


def zsh_option(option):
    """One specification for each spelling; a spelling excludes the other."""
    doc = re.sub(r"([\[\]\\:])", r"\\\1", option.get("doc") or "")
    both = f"({' '.join(flags(option))})"
    for flag in flags(option):
        arg, sign = "", ""
        if option.get("arg"):
            sign = ("=-" if option["optional"] else "=") if flag.startswith("--") else "+"
            optional = ":" if option["optional"] else ""
            arg = f":{optional}{option['arg'].replace(':', ' ')}:{zsh_value(option)}"
        yield zsh_quoted(f"{both}{flag}{sign}[{doc}]{arg}")


def zsh_arguments(verb, tables):
    if verb == "errno":
        return ["1:map type:_rqspin_map_types", "2:operation:_rqspin_map_ops"]
    specs = []
    if verb in COMMANDS:
        specs = ["*::command:_normal"]
    elif verb in FILES:
        specs = [f'*:file:_files -g "*.{FILES[verb]}"']
    if verb == "run":
        samples = " ".join(s["name"] for s in tables["samples"])
        specs = [
            f'*:sample or object:_alternative "s:sample:({samples})" "f:object:_files -g \\*.o"'
        ]
    return specs


def zsh_verb(verb, tables):
    specs = [spec for option in verb["options"] for spec in zsh_option(option)]
    specs += [zsh_quoted(a) for a in zsh_arguments(verb["name"], tables)]
    lines = " \\\n\t\t\t".join(["_arguments -S '(-h --help)'{-h,--help}'[Show help]'", *specs])
    return [f"\t\t{verb['name']})", f"\t\t\t{lines}", "\t\t\t;;"]


def zsh(tables):
    return {
        "VERBS": [f"\t{zsh_quoted(v['name'] + ':' + v['summary'])}" for v in tables["verbs"]],
        "MAP_OPS": [f"\t{t['name']} '{' '.join(t['ops'])}'" for t in tables["map_types"]],
        "CASES": [line for verb in tables["verbs"] for line in zsh_verb(verb, tables)],
    }


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_value(option):
    if not option.get("arg") or option["optional"]:
        return ""
    if option.get("words") == "live":
        return f" -x -a '(__rqspin_live {option['name']})'"
    if "words" in option:
        words = "\\n".join(option["words"])
        if option["arg"] == "LIST":
            return f" -x -a '(__fish_complete_list , \"printf {words}\")'"
        return f" -x -a '{' '.join(option['words'])}'"
    return " -r -F" if option["arg"] in ("FILE", "DIR") else " -x"


def fish_verb(verb, tables):
    name = verb["name"]
    head = f"complete -c rqspin -n '__rqspin_verb {name}'"
    if name in FILES:
        yield f"{head} -k -xa '(__fish_complete_suffix .{FILES[name]})'"
    if name in COMMANDS:
        yield f"{head} -xa '(__fish_complete_subcommand)'"
    if name == "run":
        yield f"{head} -a '{' '.join(s['name'] for s in tables['samples'])}' -d sample"
    for option in verb["options"]:
        short = f" -s {option['key']}" if "key" in option else ""
        doc = fish_quoted(option.get("doc") or "")
        yield f"{head}{short} -l {option['name']}{fish_value(option)} -d {doc}"


def fish_map_ops(tables):
    """The second word of errno, by the first one."""
    head = "complete -c rqspin -n"
    types = " ".join(t["name"] for t in tables["map_types"])
    yield f"{head} '__rqspin_errno' -a '{types}' -d 'map type'"
    for t in tables["map_types"]:
        yield f"{head} '__rqspin_errno {t['name']}' -a '{' '.join(t['ops'])}' -d operation"


def fish(tables):
    verbs = [
        f"complete -c rqspin -n __rqspin_no_verb -a {v['name']} -d {fish_quoted(v['summary'])}"
        for v in tables["verbs"]
    ]
    return {
        "VERB_NAMES": [
            f"set -g __rqspin_verbs {' '.join(v['name'] for v in tables['verbs'])} help"
        ],
        "VERBS": verbs,
        "OPTIONS": [line for verb in tables["verbs"] for line in fish_verb(verb, tables)],
        "MAP_OPS": list(fish_map_ops(tables)),
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
    parts = {"man": man, "bash": bash, "zsh": zsh, "fish": fish}[kind](tables)
    with open(template, encoding="utf-8") as f:
        print("\n".join(fill(f, parts)))


if __name__ == "__main__":
    main()
