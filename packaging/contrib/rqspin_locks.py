# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Who holds and who waits for which resilient lock, in a vmcore or the live kernel.

Exit status 2: the command line is wrong; 3: drgn, the dump or debug info is missing, or the kernel
has no such locks.
"""

import argparse
import itertools
import json
import sys

try:
    from drgn import (
        FaultError,
        NoDefaultProgramError,
        cast,
        container_of,
        get_default_prog,
        sizeof,
    )
    from drgn.helpers.linux.bpf import bpf_map_for_each, bpf_prog_for_each
    from drgn.helpers.linux.cpumask import for_each_possible_cpu
    from drgn.helpers.linux.percpu import per_cpu
    from drgn.helpers.linux.pid import find_task
    from drgn.helpers.linux.sched import cpu_curr
except ImportError as err:
    # Only main() says so: --help works without drgn.
    DRGN_ERROR = str(err)
else:
    DRGN_ERROR = None

RUN = "drgn -c VMCORE -s VMLINUX rqspin_locks.py"
GET = "pip install drgn, or python3-drgn of Debian 13"
SLOW = {
    "resilient_queued_spin_lock_slowpath",
    "resilient_tas_spin_lock",
    "rqspinlock_slowpath",
    "rqspinlock_tas",
}
STAGES = ("spin", "pending", "queued", "head")
RECORD_STAGES = {
    # A program on contention_begin runs: the attempt does not wait yet, and owns nothing.
    "RES_STAGE_BEGIN": "spin",
    "RES_STAGE_NONE": "spin",
    "RES_STAGE_QUEUED": "queued",
    "RES_STAGE_HEAD": "head",
    "RES_STAGE_PENDING": "pending",
}
ESCAPED, TAG_CPUS, TAG_SHIFT = 255, 254, 9


def lock_word_read(prog, address):
    try:
        val = prog.read_u32(address)
    except FaultError:
        return None
    # With 16K CPUs pending is one bit, and the tail follows it.
    wide = sizeof(prog.type("struct cpumask")) * 8 >= 16384
    tail = val >> (9 if wide else 16)
    return {
        "value": val,
        "locked": val & 255,
        "pending": bool(val & 256),
        "high": 0 if wide else val >> TAG_SHIFT & 127,
        "tail_cpu": (tail >> 2) - 1 if tail else None,
        "tail_index": tail & 3 if tail else None,
    }


def part_name(main, part):
    """A program, with the function if that has a symbol of its own: bpf_prog_TAG_NAME."""
    # The program's own name is cut to 15 characters, that of the symbol is not.
    symbols = [aux.ksym.name.string_().decode().split("_", 3) for aux in (main.aux, part.aux)]
    whole, own = (symbol[3] if len(symbol) == 4 else "" for symbol in symbols)
    whole = whole or main.aux.name.string_().decode()
    return whole if own in ("", whole) else f"{whole} ({own})"


def prog_ranges_list(prog):
    """Code of all BPF programs and their functions: (begin, end, id, name)."""
    found = []
    for main in bpf_prog_for_each(prog):
        count = main.aux.func_cnt.value_()
        parts = [main.aux.func[i] for i in range(count)] if count else [main]
        for part in parts:
            begin = part.bpf_func.value_()
            end = begin + part.jited_len.value_()
            found.append((begin, end, main.aux.id.value_(), part_name(main, part)))
    return found


def code_name(prog, programs, pc):
    for begin, end, ident, name in programs:
        if begin <= pc <= end:
            return f"prog {ident} {name}"
    try:
        return prog.symbol(pc).name
    except LookupError:
        return hex(pc)


def frame_name(prog, programs, frame):
    try:
        # A return address may be that of the function behind the caller.
        pc = frame.pc - (0 if frame.interrupted else 1)
    except LookupError:
        return frame.name or "?"
    name = code_name(prog, programs, pc)
    return name if name.startswith("prog ") else frame.name or name


def stack_read(prog, programs, cpu):
    """Names of the frames of a CPU, by context, the innermost first; and why there are none."""
    try:
        contexts, inline = [], False
        for frame in prog.stack_trace(cpu_curr(prog, cpu)):
            # Inlined ones come before the frame that they are part of, and are interrupted with it.
            if not contexts or (frame.interrupted and not inline):
                contexts.append([])
            contexts[-1].append(frame_name(prog, programs, frame))
            inline = frame.is_inline
        return contexts, None
    except (ValueError, LookupError, FaultError) as err:
        return [], str(err)


def context_waits(names):
    """How many waits: on top of one, in the same context, may be a program that traces it."""
    return sum(slow for slow, _ in itertools.groupby(name in SLOW for name in names))


def wait_on_top(names):
    """Does the context wait, with no program on top that may have taken a lock meanwhile?"""
    return next((n for n in names if n in SLOW or n.startswith("prog ")), None) in SLOW


def context_function(names):
    """The BPF program of a context; without one, what called the lock's slow path."""
    for name in names:
        if name.startswith("prog "):
            return name
    slow = [i for i, name in enumerate(names) if name in SLOW]
    return names[slow[-1] + 1] if slow and slow[-1] + 1 < len(names) else None


def function_find(contexts):
    """Which of several contexts has the lock is not known, so all are named."""
    found = [name for name in map(context_function, contexts) if name]
    return " on top of ".join(found) or None


def party_make(prog, cpu, contexts, stage=None):
    task = cpu_curr(prog, cpu)
    return {
        "cpu": cpu,
        "comm": task.comm.string_().decode(errors="replace"),
        "pid": task.pid.value_(),
        "function": function_find(contexts),
        "stage": stage,
    }


def map_spans_list(bpf_map):
    """Memory of a map with locks: (begin, size, of one part, what a part is)."""
    kind = bpf_map.map_type.format_(type_name=False).removeprefix("BPF_MAP_TYPE_")
    if kind == "ARRAY":
        array = container_of(bpf_map, "struct bpf_array", "map")
        size = array.elem_size.value_()
        begin = array.value.address_of_().value_()
        return [(begin, size * bpf_map.max_entries.value_(), size, "element")]
    if kind in ("HASH", "LRU_HASH", "HASH_OF_MAPS", "PERCPU_HASH", "LRU_PERCPU_HASH"):
        # Of a plain one each CPU has an element in reserve.
        spare = len(list(for_each_possible_cpu(bpf_map.prog_))) if kind == "HASH" else 0
        return htab_spans_list(container_of(bpf_map, "struct bpf_htab", "map"), spare)
    if kind == "RINGBUF":
        ring = container_of(bpf_map, "struct bpf_ringbuf_map", "map").rb
        return [(ring.value_(), sizeof(ring[0]), None, "ring buffer")]
    own = {"QUEUE": "bpf_queue_stack", "STACK": "bpf_queue_stack", "LPM_TRIE": "lpm_trie"}
    if kind in own:
        return [(bpf_map.value_(), sizeof(bpf_map.prog_.type(f"struct {own[kind]}")), None, "map")]
    return []


def htab_spans_list(htab, spare):
    size, buckets = sizeof(htab.buckets[0]), htab.n_buckets.value_()
    spans = [(htab.buckets.value_(), size * buckets, size, "bucket")]
    if htab.elems:
        size, count = htab.elem_size.value_(), htab.map.max_entries.value_() + spare
        spans.append((cast("unsigned long", htab.elems).value_(), size * count, size, "element"))
    return spans


def map_spans_all(prog, notes):
    spans = []
    for bpf_map in bpf_map_for_each(prog):
        about = {"id": bpf_map.id.value_(), "name": bpf_map.name.string_().decode()}
        try:
            spans += [(span, about) for span in map_spans_list(bpf_map)]
        except (AttributeError, LookupError, FaultError) as err:
            notes.append(f"map {about['id']}: memory not known: {err}")
    return spans


def lock_map_find(spans, address):
    for (begin, size, step, what), about in spans:
        if begin <= address < begin + size:
            index = (address - begin) // step if step else None
            return {**about, "place": what, "index": index}
    return None


def held_table_read(prog, cpu):
    table = per_cpu(prog["rqspinlock_held_locks"], cpu)
    count, room = table.cnt.value_(), len(table.locks)
    entries = [table.locks[i].value_() for i in range(max(0, min(count, room)))]
    return entries, count > room


def records_read(prog, cpu):
    """Wait records, which kernels with 7.x/cycles have: (lock, place in the table, stage)."""
    live = [w for w in per_cpu(prog["rqspinlock_waits"], cpu).wait if w.seq.value_() & 1]
    names = [w.stage.format_(type_name=False) for w in live]
    return [
        (w.lock.value_(), w.cnt.value_() - 1, RECORD_STAGES.get(name))
        for w, name in zip(live, names, strict=True)
    ]


def stack_waits(entries, contexts):
    """What the stack says of waits: as records_read(), and whether there are more in the table."""
    count = sum(map(context_waits, contexts))
    places = []
    # Each wait has an entry. If there are no others, nothing on top of the waits has a lock.
    if count == len(entries):
        places = range(count)
    elif entries and contexts and wait_on_top(contexts[0]):
        places = [len(entries) - 1]
    waits = [(entries[place], place, None) for place in places if entries[place]]
    return waits, count > len(places)


def table_notes(cpu, entries, full, unsure, error):
    if full:
        yield f"cpu {cpu}: table too full, not all of its locks are known"
    if error:
        yield f"cpu {cpu}: no stack{', so it is not known whether it waits' * unsure}: {error}"
    elif unsure:
        yield (
            f"cpu {cpu}: a wait was interrupted, for which of the {len(entries)} locks of its "
            "table is not known: what is on top of it may have some of them"
        )


def cpu_table_state(prog, programs, cpu, notes):
    entries, full = held_table_read(prog, cpu)
    contexts, error = stack_read(prog, programs, cpu) if entries else ([], None)
    if has_object(prog, "rqspinlock_waits"):
        waits, unsure = records_read(prog, cpu), False
    elif full or error:
        waits, unsure = [], error is not None
    else:
        waits, unsure = stack_waits(entries, contexts)
    notes += table_notes(cpu, entries, full, unsure, error)
    attempts = {place for _, place, _ in waits}
    return {
        "cpu": cpu,
        "contexts": contexts,
        "waits": [(lock, stage) for lock, _, stage in waits],
        "held": {lock for place, lock in enumerate(entries) if lock and place not in attempts},
        "unsure": unsure,
        "full": full,
    }


def free_text(word):
    """A lock without an owner: who has to take it, but has not done so yet."""
    if word["pending"]:
        return "the waiter with the pending bit has not taken the lock"
    if word["tail_cpu"] is not None:
        last = f"the last on cpu {word['tail_cpu']}"
        return f"waiters are in the queue, {last}; its head has not taken the lock"
    return "the lock is free"


def table_owner_find(states, address, word):
    """The CPU that owns a lock, and why it is not known."""
    if word is None:
        return None, "the lock's memory cannot be read"
    if not word["locked"]:
        return None, free_text(word)
    having = [s for s in states if address in s["held"]]
    if len(having) == 1 and not having[0]["unsure"]:
        return having[0]["cpu"], None
    if having:
        return None, f"held or attempted by cpu {', '.join(str(s['cpu']) for s in having)}"
    full = [str(s["cpu"]) for s in states if s["full"]]
    return None, f"table too full: cpu {', '.join(full)}" if full else "in no CPU's table"


def table_waiters_list(prog, states, address):
    return [
        party_make(prog, state["cpu"], state["contexts"], stage)
        for state in states
        for lock, stage in state["waits"]
        if lock == address
    ]


def table_addresses_list(states):
    waited = {lock for state in states for lock, _ in state["waits"]}
    return sorted(waited.union(*(state["held"] for state in states)))


def table_locks_read(prog, programs, notes):
    states = [cpu_table_state(prog, programs, c, notes) for c in for_each_possible_cpu(prog)]
    contexts = {s["cpu"]: s["contexts"] for s in states}
    for address in table_addresses_list(states):
        word = lock_word_read(prog, address)
        owner, why = table_owner_find(states, address, word)
        yield {
            "address": address,
            "word": word,
            "owner": None if owner is None else party_make(prog, owner, contexts[owner]),
            "owner_unknown": why,
            "waiters": table_waiters_list(prog, states, address),
        }


def waiter_task(prog, cpu, pid):
    """The idle task of each CPU has the number 0."""
    running = cpu_curr(prog, cpu)
    return running if running.pid.value_() == pid else find_task(prog, pid)


def tag_waits_read(prog, programs, cpu):
    """The live wait records of a CPU: (lock, waiter)."""
    record = per_cpu(prog["res_cpu"], cpu)
    for i in range(min(record.nwait.value_(), len(record.wait))):
        wait = record.wait[i]
        if not wait.seq.value_() & 1:
            continue
        pid = wait.pid.value_()
        task = waiter_task(prog, cpu, pid)
        yield (
            wait.lock.value_(),
            {
                "cpu": cpu,
                "comm": task.comm.string_().decode(errors="replace") if task else None,
                "pid": pid,
                "function": code_name(prog, programs, wait.ip.value_()),
                "stage": STAGES[wait.stage.value_()],
            },
        )


def escape_table_read(prog, cpu, notes):
    record = per_cpu(prog["res_cpu"], cpu)
    if record.lost:
        notes.append(f"cpu {cpu}: escape table was too full {record.lost.value_()} times")
    entries = (record.held[i].value_() for i in range(len(record.held)))
    return {entry & ~3 for entry in entries if entry}


def tag_owner_find(word, escaped, address):
    if word is None:
        return None, "the lock's memory cannot be read"
    if not word["locked"]:
        return None, free_text(word)
    if word["locked"] != ESCAPED:
        return word["high"] * TAG_CPUS + word["locked"] - 1, None
    for cpu, locks in escaped.items():
        if address in locks:
            return cpu, None
    return None, "escape tag, but in no CPU's escape table (too full?)"


def tag_locks_read(prog, programs, notes):
    notes.append("locks that nobody waits for are listed only if an escape table has them")
    cpus, waits, escaped = list(for_each_possible_cpu(prog)), {}, {}
    for cpu in cpus:
        escaped[cpu] = escape_table_read(prog, cpu, notes)
        for address, waiter in tag_waits_read(prog, programs, cpu):
            waits.setdefault(address, []).append(waiter)
    for address in sorted(set(waits).union(*escaped.values())):
        word = lock_word_read(prog, address)
        owner, why = tag_owner_find(word, escaped, address)
        if owner is not None and owner not in cpus:
            owner, why = None, f"the word names cpu {owner}, which does not exist"
        contexts, error = stack_read(prog, programs, owner) if owner is not None else ([], None)
        if error:
            notes.append(f"cpu {owner}: no stack: {error}")
        yield {
            "address": address,
            "word": word,
            "owner": None if owner is None else party_make(prog, owner, contexts),
            "owner_unknown": why,
            "waiters": waits.get(address, []),
        }


def has_object(prog, name):
    try:
        prog[name]
    except (KeyError, LookupError):
        return False
    return True


def kind_probe(prog):
    try:
        prog.type("struct task_struct")
    except LookupError:
        die("no debug info of this kernel: give its vmlinux with -s", 3)
    if has_object(prog, "res_cpu"):
        return "owner-tag", tag_locks_read
    if has_object(prog, "rqspinlock_held_locks"):
        return "table", table_locks_read
    die("this kernel has no resilient queued spin locks", 3)


def die(text, status):
    print(f"rqspin_locks: {text}", file=sys.stderr)
    sys.exit(status)


def locks_collect(prog):
    kind, read = kind_probe(prog)
    notes, programs = [], prog_ranges_list(prog)
    spans = map_spans_all(prog, notes)
    locks = list(read(prog, programs, notes))
    for lock in locks:
        lock["map"] = lock_map_find(spans, lock["address"])
        lock["address"] = f"0x{lock['address']:016x}"
    return {"schema": "rqspin-drgn/1", "kind": kind, "locks": locks, "notes": notes}


def party_text(party):
    stage = f" ({party['stage']})" if party["stage"] else ""
    return f"cpu {party['cpu']} {party['comm']}/{party['pid']} {party['function'] or '?'}{stage}"


def map_text(place):
    if not place:
        return "map unknown"
    index = "" if place["index"] is None else f" {place['index']}"
    return f"map {place['id']} {place['name']}, {place['place']}{index}"


def owner_text(lock):
    if lock["owner"]:
        return f"owner   {party_text(lock['owner'])}"
    nobody = lock["word"] and not lock["word"]["locked"]
    return f"{'no owner' if nobody else 'owner unknown'}: {lock['owner_unknown']}"


def locks_print(found):
    for lock in found["locks"]:
        print(f"{lock['address']}  {map_text(lock['map'])}")
        print(f"  {owner_text(lock)}")
        for waiter in lock["waiters"]:
            print(f"  waits   {party_text(waiter)}")
    if not found["locks"]:
        print("no lock is held or waited for, as far as can be seen")
    for note in found["notes"]:
        print(f"note: {note}", file=sys.stderr)


def prog_find():
    if DRGN_ERROR:
        die(f"drgn is missing or too old ({DRGN_ERROR}): {GET}; then run {RUN}", 3)
    try:
        return get_default_prog()
    except NoDefaultProgramError:
        die(f"no dump to look at: run it with drgn: {RUN}", 3)


def main():
    parser = argparse.ArgumentParser(usage=f"{RUN} [-h] [--json]", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args()
    found = locks_collect(prog_find())
    if args.json:
        print(json.dumps(found))
    else:
        locks_print(found)


if __name__ == "__main__":
    main()
