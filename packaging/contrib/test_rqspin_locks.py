# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin_locks.py on memory that is written here, with the types of real kernels. No guest."""

import json
import pathlib
import struct
import subprocess
import sys
import types

import jsonschema
import pytest

drgn = pytest.importorskip("drgn", reason="drgn is missing: run make setup")

import rqspin_locks  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
LOCK, OTHER, STEP = 0xFFFF888000001000, 0xFFFF888000002000, 0x100000000
HEAP = 0xFFFF888000100000
SCHEMA = TOP / "docs/drgn.schema.json"
SLOW = "resilient_queued_spin_lock_slowpath"
SCRIPT = TOP / "packaging/contrib/rqspin_locks.py"


class Memory:
    """All of the address space, 0 where nothing was written."""

    def __init__(self, folder):
        vmlinux = TOP / "build/kernel-obj" / folder / "vmlinux"
        if not vmlinux.exists():
            pytest.skip(f"{vmlinux} is missing: make kernel")
        self.bytes = {}
        self.prog = drgn.Program(drgn.host_platform)
        module = self.prog.extra_module("vmlinux", create=True)
        module = module[0] if isinstance(module, tuple) else module
        module.try_file(vmlinux, force=True)
        self.prog.add_memory_segment(0, 2**64 - 1, self.read)

    def read(self, address, count, offset, physical):
        return bytes(self.bytes.get(address + i, 0) for i in range(count))

    def write(self, address, form, *values):
        for i, byte in enumerate(struct.pack("<" + form, *values)):
            self.bytes[address + i] = byte

    def put(self, variable, form, *values):
        self.write(variable.address_, form, *values)

    def cpus_make(self, count):
        self.put(self.prog["nr_cpu_ids"], "I", 64)
        self.put(self.prog["__cpu_possible_mask"], "Q", (1 << count) - 1)
        offsets = [HEAP + cpu * STEP for cpu in range(count)]
        self.put(self.prog["__per_cpu_offset"], f"{count}Q", *offsets)

    def held_put(self, cpu, count, *locks):
        table = rqspin_locks.per_cpu(self.prog["rqspinlock_held_locks"], cpu)
        self.put(table.cnt, "i", count)
        self.put(table.locks, f"{len(locks)}Q", *locks)

    def wait_put(self, cpu, lock, stage):
        record = rqspin_locks.per_cpu(self.prog["res_cpu"], cpu)
        self.put(record.nwait, "I", 1)
        self.put(record.wait[0].seq, "I", 1)
        self.put(record.wait[0].stage, "I", stage)
        self.put(record.wait[0].lock, "Q", lock)

    def array_put(self, lock):
        """An array map whose element 2 begins with the lock."""
        array = drgn.Object(self.prog, "struct bpf_array", address=HEAP - 0x10000)
        begin = lock - 2 * 16
        shift = begin - array.value.address_
        array = drgn.Object(self.prog, "struct bpf_array", address=array.address_ + shift)
        self.put(self.prog["map_idr"].idr_rt.xa_head, "Q", array.address_)
        kind = self.prog.constant("BPF_MAP_TYPE_ARRAY").value_()
        for field, value in (("map_type", kind), ("max_entries", 4), ("id", 7)):
            self.put(array.map.member_(field), "I", value)
        self.put(array.map.name, "5s", b"slots")
        self.put(array.elem_size, "I", 16)


def found_with(monkeypatch, memory, contexts=None, error=None):
    """What the script finds if these are the stacks of CPUs, by context."""

    def stack_read(prog, programs, cpu):
        return ([], error) if error else ((contexts or {}).get(cpu, [[f"prog {cpu} role"]]), None)

    monkeypatch.setattr(rqspin_locks, "stack_read", stack_read)
    found = rqspin_locks.locks_collect(memory.prog)
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    return found


def waits_in(cpu, *names):
    return [*names, f"prog {cpu} role"]


def cpus_of(lock):
    owner = lock["owner"] and lock["owner"]["cpu"]
    return owner, [waiter["cpu"] for waiter in lock["waiters"]]


@pytest.fixture
def table():
    """A kernel with tables, but without the records of 7.x/cycles."""
    memory = Memory("7.x-lean")
    memory.cpus_make(3)
    memory.write(LOCK, "I", 1 | 1 << 8)
    return memory


@pytest.fixture(autouse=True)
def no_records(monkeypatch):
    has = rqspin_locks.has_object
    monkeypatch.setattr(
        rqspin_locks,
        "has_object",
        lambda prog, name: name != "rqspinlock_waits" and has(prog, name),
    )


@pytest.fixture
def tagged():
    memory = Memory("lean")
    memory.cpus_make(3)
    return memory


def test_table_owner_and_waiter(monkeypatch, table):
    table.array_put(LOCK)
    table.held_put(0, 1, LOCK)
    table.held_put(1, 1, LOCK)
    found = found_with(monkeypatch, table, {1: [waits_in(1, SLOW)]})
    (lock,) = found["locks"]
    assert (found["schema"], found["kind"]) == ("rqspin-drgn/1", "table")
    assert cpus_of(lock) == (0, [1])
    assert lock["owner"]["function"] == "prog 0 role"
    assert lock["map"] == {"id": 7, "name": "slots", "place": "element", "index": 2}


# What is inlined has frames as well.
@pytest.mark.parametrize("slow", [[SLOW], ["rqspinlock_tas", "rqspinlock_slowpath"]])
def test_table_abba(monkeypatch, table, slow):
    table.write(OTHER, "I", 1)
    table.held_put(0, 2, LOCK, OTHER)
    table.held_put(1, 2, OTHER, LOCK)
    stacks = {cpu: [waits_in(cpu, *slow)] for cpu in (0, 1)}
    found = found_with(monkeypatch, table, stacks)
    assert [cpus_of(lock) for lock in found["locks"]] == [(0, [1]), (1, [0])]


def test_table_too_full(monkeypatch, table):
    table.held_put(0, 32, LOCK)
    found = found_with(monkeypatch, table)
    assert "cpu 0: table too full, not all of its locks are known" in found["notes"]


def test_table_owner_not_in_a_table(monkeypatch, table):
    table.held_put(1, 1, LOCK)
    (lock,) = found_with(monkeypatch, table, {1: [waits_in(1, SLOW)]})["locks"]
    assert cpus_of(lock) == (None, [1])
    assert lock["owner_unknown"] == "in no CPU's table"


def test_table_interrupt_that_does_not_wait(monkeypatch, table):
    """Which of the entries is that of the wait is not known: the interrupt may have the last."""
    table.write(OTHER, "I", 1)
    table.held_put(0, 2, LOCK, OTHER)
    found = found_with(monkeypatch, table, {0: [["prog 7 timer"], waits_in(0, SLOW)]})
    assert [cpus_of(lock) for lock in found["locks"]] == [(None, []), (None, [])]
    assert found["locks"][1]["owner_unknown"] == "held or attempted by cpu 0"
    told = "cpu 0: a wait was interrupted, for which of the 2 locks of its table is not known"
    assert any(note.startswith(told) for note in found["notes"])


def test_table_panic_on_top_of_a_wait(monkeypatch, table):
    """A hard lockup: one entry and one wait belong to each other, whatever is on top."""
    table.held_put(0, 1, LOCK)
    table.held_put(1, 1, LOCK)
    found = found_with(monkeypatch, table, {1: [["panic", "asm_exc_nmi"], waits_in(1, SLOW)]})
    assert cpus_of(found["locks"][0]) == (0, [1])
    assert found["notes"] == []


@pytest.mark.parametrize("word,why", [
    (0x140000, "waiters are in the queue, the last on cpu 4; its head has not taken the lock"),
    (0x140100, "the waiter with the pending bit has not taken the lock"),
    (0, "the lock is free"),
])  # fmt: skip
def test_table_no_owner(monkeypatch, table, capsys, word, why):
    """The stock kernel's hang: the head is interrupted by a wait in the queue of another lock."""
    table.write(LOCK, "I", word)
    table.write(OTHER, "I", 1)
    table.held_put(0, 1, OTHER)
    table.held_put(1, 2, LOCK, OTHER)
    found = found_with(monkeypatch, table, {1: [waits_in(7, SLOW), waits_in(1, SLOW)]})
    assert [cpus_of(lock) for lock in found["locks"]] == [(None, [1]), (0, [1])]
    assert found["locks"][0]["owner_unknown"] == why
    rqspin_locks.locks_print(found)
    assert f"\n  no owner: {why}\n" in capsys.readouterr().out


def frame(name, interrupted=False, inline=False):
    return types.SimpleNamespace(name=name, pc=16, interrupted=interrupted, is_inline=inline)


# What interrupted is inlined has the registers of its caller, and is interrupted as well.
WAIT = [
    frame("native_pause", interrupted=True, inline=True),
    frame("cpu_relax", interrupted=True, inline=True),
    frame(SLOW, interrupted=True),
    frame("prog 1 role"),
]
NMI = [
    frame("native_halt", interrupted=True, inline=True),
    frame("panic", interrupted=True),
    frame("nmi_handle", inline=True),
    frame("asm_exc_nmi"),
]


def stack_of(monkeypatch, frames):
    def symbol(pc):
        raise LookupError

    prog = types.SimpleNamespace(stack_trace=lambda task: frames, symbol=symbol)
    monkeypatch.setattr(rqspin_locks, "cpu_curr", lambda prog, cpu: None)
    return rqspin_locks.stack_read(prog, [], 0)


@pytest.mark.parametrize("parts", [[WAIT], [NMI, WAIT], [WAIT, WAIT], [WAIT[2:]], [WAIT[2:]] * 2])
def test_stack_contexts(monkeypatch, parts):
    contexts, error = stack_of(monkeypatch, [f for part in parts for f in part])
    assert (contexts, error) == ([[f.name for f in part] for part in parts], None)


def test_stack_waits(monkeypatch):
    contexts, _ = stack_of(monkeypatch, WAIT)
    assert rqspin_locks.stack_waits([LOCK], contexts) == ([(LOCK, 0, None)], False)
    assert rqspin_locks.stack_waits([OTHER, LOCK], contexts) == ([(LOCK, 1, None)], False)
    contexts, _ = stack_of(monkeypatch, NMI + WAIT)
    assert rqspin_locks.stack_waits([LOCK], contexts) == ([(LOCK, 0, None)], False)
    assert rqspin_locks.stack_waits([OTHER, LOCK], contexts) == ([], True)
    # What traces the wait of its own context may have a lock, and may wait for it.
    traced = [["prog 9 tracer", "bpf_trace_run2", SLOW, "prog 1 role"]]
    assert rqspin_locks.stack_waits([OTHER, LOCK], traced) == ([], True)
    traced[0].insert(0, SLOW)
    assert rqspin_locks.stack_waits([LOCK, OTHER], traced)[0] == [(LOCK, 0, None), (OTHER, 1, None)]


def test_stack_ends_in_unknown_code(monkeypatch):
    class Lost:
        name, interrupted, is_inline = "???", False, False

        @property
        def pc(self):
            raise LookupError("program counter is not known")

    assert stack_of(monkeypatch, [*WAIT, Lost()])[0][0][-1] == "???"


def test_stack_of_running_cpu(monkeypatch):
    def stack_trace(task):
        raise ValueError("it runs")

    monkeypatch.setattr(rqspin_locks, "cpu_curr", lambda prog, cpu: None)
    prog = types.SimpleNamespace(stack_trace=stack_trace)
    assert rqspin_locks.stack_read(prog, [], 0) == ([], "it runs")


def waits_make(*records):
    """struct rqspinlock_waits of the series 7.x/cycles, of (seq, cnt, lock, stage)."""
    prog = drgn.Program(drgn.host_platform)
    word, long = prog.int_type("unsigned int", 4, False), prog.int_type("unsigned long", 8, False)
    names = [f"RES_STAGE_{name}" for name in ("BEGIN", "NONE", "QUEUED", "HEAD", "PENDING")]
    numbers = [drgn.TypeEnumerator(name, i) for i, name in enumerate(names)]
    stage = prog.enum_type("rqspinlock_stage", word, numbers)
    fields = [("seq", word), ("cnt", prog.int_type("int", 4, True)), ("lock", long),
              ("stage", stage)]  # fmt: skip
    places = (0, 4, 8, 16)
    members = [drgn.TypeMember(t, n, p * 8) for (n, t), p in zip(fields, places, strict=True)]
    wait = prog.struct_type("rqspinlock_wait", 40, members)
    array = drgn.TypeMember(prog.array_type(wait, 4), "wait", 64)
    waits = prog.struct_type("rqspinlock_waits", 168, [drgn.TypeMember(word, "nr", 0), array])
    values = [dict(zip(("seq", "cnt", "lock", "stage"), r, strict=True)) for r in records]
    return drgn.Object(prog, waits, {"nr": len(values), "wait": values})


def test_records(monkeypatch):
    monkeypatch.setattr(rqspin_locks, "per_cpu", lambda variable, cpu: variable[cpu])
    stages = ((stage * 2 + 1, stage + 1, LOCK + stage, stage + 1) for stage in range(4))
    ended = ((4, 1, LOCK, 2), (7, 3, OTHER, 4), (9, 4, LOCK, 0))
    prog = {"rqspinlock_waits": [waits_make(*stages), waits_make(*ended), waits_make()]}
    names = ("spin", "queued", "head", "pending")
    found = [rqspin_locks.records_read(prog, cpu) for cpu in range(3)]
    assert found[0] == [(LOCK + i, i, name) for i, name in enumerate(names)]
    assert found[1:] == [[(OTHER, 2, "pending"), (LOCK, 3, "spin")], []]


def test_table_with_records(monkeypatch, table):
    """An interrupt on top of the wait has the last entry; its stack is not asked."""
    table.write(OTHER, "I", 1)
    table.held_put(0, 1, LOCK)
    table.held_put(1, 2, LOCK, OTHER)
    records = {1: [(LOCK, 0, "head")]}
    monkeypatch.setattr(rqspin_locks, "has_object", lambda prog, name: name != "res_cpu")
    monkeypatch.setattr(rqspin_locks, "records_read", lambda prog, cpu: records.get(cpu, []))
    found = found_with(monkeypatch, table, {1: [["prog 7 timer"], waits_in(1, SLOW)]})
    assert [cpus_of(lock) for lock in found["locks"]] == [(0, [1]), (1, [])]
    assert found["locks"][0]["waiters"][0]["stage"] == "head"
    assert found["notes"] == []


def test_contexts_are_all_named():
    contexts = [waits_in(1, SLOW), ["prog 2 role"], ["schedule"]]
    assert rqspin_locks.function_find(contexts) == "prog 1 role on top of prog 2 role"
    assert rqspin_locks.function_find([[SLOW, "caller"]]) == "caller"
    assert rqspin_locks.function_find([["cpu_idle"]]) is None


def test_table_without_stacks(monkeypatch, table):
    table.held_put(0, 1, LOCK)
    table.held_put(1, 1, LOCK)
    found = found_with(monkeypatch, table, error="it runs")
    assert found["locks"][0]["owner_unknown"] == "held or attempted by cpu 0, 1"
    assert any("it is not known whether it waits: it runs" in note for note in found["notes"])


@pytest.mark.parametrize("word,owner", [(3, 2), (0x101, 0)])
def test_tag_names_owner(monkeypatch, tagged, word, owner):
    tagged.write(LOCK, "I", word)
    tagged.wait_put(1, LOCK, 1)
    found = found_with(monkeypatch, tagged)
    (lock,) = found["locks"]
    assert found["kind"] == "owner-tag"
    assert cpus_of(lock) == (owner, [1])
    assert lock["waiters"][0]["stage"] == "pending"


def test_tag_escaped(monkeypatch, tagged):
    tagged.write(LOCK, "I", 255)
    record = rqspin_locks.per_cpu(tagged.prog["res_cpu"], 2)
    tagged.put(record.held[4], "Q", LOCK | 1)
    (lock,) = found_with(monkeypatch, tagged)["locks"]
    assert cpus_of(lock) == (2, [])


def test_no_debug_info():
    with pytest.raises(SystemExit) as failed:
        rqspin_locks.kind_probe(drgn.Program(drgn.host_platform))
    assert failed.value.code == 3


def script_run(*args):
    run = subprocess.run([sys.executable, *args], capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


# Without -S there is the drgn of this test, and with it there is none.
@pytest.mark.parametrize("option,told", [("-B", "no dump to look at"), ("-S", "drgn is missing")])
def test_plain_python(option, told):
    status, out, err = script_run(option, SCRIPT)
    assert (status, out) == (3, "")
    assert err.startswith(f"rqspin_locks: {told}")
    assert err.endswith("drgn -c VMCORE -s VMLINUX rqspin_locks.py\n") and err.count("\n") == 1
    assert "pip install drgn" in err or option == "-B"
    status, out, err = script_run(option, SCRIPT, "--help")
    assert (status, err) == (0, "") and "--json" in out
    assert script_run(option, SCRIPT, "--jsn")[0] == 2
