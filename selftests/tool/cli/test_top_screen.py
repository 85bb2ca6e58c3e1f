# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin top` on a terminal: tmux is the terminal, and what it shows is compared with counts."""

import contextlib
import itertools
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest
from bpfobj import pinned, run_pinned
from conftest import BUILD, LIMIT, RQSPIN, needs_locks, needs_two_cpus, rqspin, run_sample
from terminal import Terminal

RING = BUILD / "selftests/tool/rings/ring_64.bpf.o"
FALLBACK = BUILD / "selftests/tool/rings/ring.bpf.o"
PATIENCE = 60  # seconds for the screen to show something
SERIAL = itertools.count()

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux")


class Pane:
    """A terminal of its own, with a shell command in it."""

    def __init__(self, command, size=(80, 24), env=()):
        self.tmux = ["tmux", "-L", f"rqspin-{os.getpid()}-{next(SERIAL)}", "-f", "/dev/null"]
        stty = 'printf "<%s>" "$(stty -g)"'
        shell = " ".join(env) + f' {command}; printf "END %s" $?; {stty}; exec cat'
        size = ["-x", str(size[0]), "-y", str(size[1])]
        self.call("new-session", "-d", *size, f"{stty}; {shell}")

    def call(self, *args):
        cmd = [*self.tmux, *map(str, args)]
        res = subprocess.run(cmd, check=True, capture_output=True, text=True, timeout=LIMIT)
        return res.stdout

    def lines(self):
        return self.call("capture-pane", "-p").splitlines()

    def keys(self, *keys):
        self.call("send-keys", *keys)

    def text(self, text):
        self.call("send-keys", "-l", text)

    def until(self, what):
        """The lines as soon as what(lines) holds; its value, if it returns one."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            lines = self.lines()
            found = what(lines)
            if found:
                return found if found is not True else lines
        raise AssertionError("it never showed:\n" + "\n".join(lines))

    def resize(self, x, y):
        self.call("resize-window", "-x", x, "-y", y)

    def pid(self):
        """The command's, which is a child of the pane's shell."""
        shell = self.call("display-message", "-p", "#{pane_pid}").strip()
        return int(pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])

    def ended(self):
        """Its exit code, with the terminal as it was."""
        before, after, code = self.until(ended)
        assert before == after, "the terminal's settings are not what they were"
        assert self.call("display-message", "-p", "#{alternate_on}").strip() == "0"
        assert self.call("display-message", "-p", "#{cursor_flag}").strip() == "1"
        return int(code)


def ended(lines):
    """Settings before, exit code, settings after: as soon as all are there."""
    text = "".join(lines)
    settings = re.findall(r"<([0-9a-f:]+)>", text)
    code = re.search(r"END (\d+)<", text)
    return code and len(settings) == 2 and (*settings, code[1])


@pytest.fixture
def pane():
    with contextlib.ExitStack() as stack:

        def start(*args, **kw):
            p = Pane(f"{RQSPIN} top {' '.join(args)}", **kw)
            stack.callback(subprocess.run, [*p.tmux, "kill-server"], capture_output=True)
            return p

        yield start


def has(text):
    return lambda lines: any(text in line for line in lines)


ROW = re.compile(
    r"^ *(\d+) +[\d.kM]+ +\d+ +\d+(?: +(?:-|[\d.]+[mnu]?s)){0,2}  (\S.*?)(?:  +(\S.*?))?(?:  .*)?$"
)


def rows(lines, both=False):
    """{name: failures} of the list, or {(name, the other name): failures}."""
    heads = [i for i, line in enumerate(lines) if line.lstrip().startswith("FAILURES")]
    matches = [ROW.match(line.rstrip()) for line in lines[heads[0] + 1 :]] if heads else []
    return {(m[2], m[3]) if both else m[2]: int(m[1]) for m in matches if m}


def shows(expected, both=False):
    return lambda lines: rows(lines, both) == expected


@needs_locks
@needs_two_cpus
def test_counts(nothing_left, pane):
    """All of 80 x 24, driven by keys: rows, filter, order, frozen screen, detail."""
    p = pane("-i", "200ms")
    p.until(has("FAILURES"))
    run_sample("aa", "--count", 97)
    run = run_sample("abba", "--count", 7)
    failed = {r["program"]: r["failed"] for r in run["roles"] if r["failed"]}
    locks = {"abba_0": "lock_b", "abba_1": "lock_a"}
    by_lock = {"slots[0].lock": 97, **{locks[k]: v for k, v in failed.items()}}
    total = sum(by_lock.values())
    lines = p.until(lambda ls: rows(ls) == by_lock and ls)
    assert f"{total} failures" in lines[1] and lines[2].startswith("lost: ")
    assert lines[3].startswith("sources: ")
    assert max(map(len, lines)) <= 80

    p.keys("Tab")
    p.until(shows({"aa": 97, **failed}))
    p.keys("Tab")
    pairs = {("aa", "slots[0].lock"): 97, **{(k, locks[k]): v for k, v in failed.items()}}
    p.until(shows(pairs, both=True))
    p.keys("Tab")
    p.until(shows({(lock, prog): v for (prog, lock), v in pairs.items()}, both=True))
    p.keys("/")
    p.text("SLO")
    p.until(shows({"slots[0].lock": 97}))  # while it is typed
    p.keys("Escape")
    p.until(shows(by_lock))
    p.keys("/")
    p.text("SLOTS")
    p.keys("Enter")
    p.until(lambda ls: has("filter: SLOTS")(ls) and not has("show rows with")(ls))
    p.until(shows({"slots[0].lock": 97}))
    p.keys("Escape", "S")
    lines = p.until(lambda ls: has("order name")(ls) and rows(ls) == by_lock and ls)
    assert list(rows(lines)) == sorted(by_lock)

    p.keys("Space")
    p.until(has("FROZEN"))
    run_sample("aa", "--count", 5)
    p.keys("s")
    frozen = p.until(lambda ls: has("order failures")(ls) and ls)
    assert rows(frozen) == by_lock
    p.keys("Space")
    p.until(shows({**by_lock, "slots[0].lock": 102}))

    p.keys("Home", "Enter")
    lines = p.until(lambda ls: has("latest failure")(ls) and ls)
    assert has("102 failures (AA 102)")(lines) and has("lock     slots[0].lock")(lines)
    assert has("  AA       cpu ")(lines) and has("prog ")(lines) and has(" holds slots[0].lock")
    p.keys("Escape")
    p.until(shows({**by_lock, "slots[0].lock": 102}))
    p.keys("h")
    p.until(has("freeze the screen"))
    p.keys("h")
    p.until(has("LOCK"))
    p.keys("m")
    p.until(has("m back"))
    p.keys("m")
    p.until(has("LOCK"))
    p.keys("q")
    assert p.ended() == 0


@needs_locks
def test_a_message_pushes_nothing_away(pane):
    """A program without reports is warned of where no source sees it."""
    p = pane("-i", "200ms", "--source", "ring", "--prog", "count_long", size=(200, 24))
    p.until(has("FAILURES"))
    with pinned(BUILD / "selftests/tool/cli/verdict.bpf.o"):
        lines = p.until(lambda ls: has("takes locks, but does not report")(ls) and ls)
    assert lines[2].startswith("lost: unknown") and lines[3] == "sources: ring"
    assert re.match(r"\d+ messages? \(m\): ", lines[-2]) and "q quit" in lines[-1]
    p.keys("m")
    lines = p.until(lambda ls: has("m back")(ls) and ls)
    assert has("takes locks, but does not report")(lines)
    p.keys("m")
    p.until(lambda ls: has("FAILURES")(ls) and not ls[-2])
    p.keys("q")
    assert p.ended() == 0


@needs_locks
def test_a_wide_screen_has_the_latest_failures(pane):
    p = pane("-i", "200ms", "--prog", "aa", size=(200, 24))
    p.until(has("no acquisition has failed"))
    run_sample("aa", "--count", 3)
    lines = p.until(lambda ls: rows(ls, both=True).get(("slots[0].lock", "aa")) == 3 and ls)
    row = next(line for line in lines if "slots[0].lock" in line)
    assert re.search(r"  AA       cpu \d+ rqspin/\d+ prog \d+ aa at aa\.bpf\.c:\d+: wants", row)
    assert max(map(len, lines)) <= 200
    p.resize(80, 24)
    p.until(lambda ls: not has("LATEST")(ls) and rows(ls, both=True).get(("slots[0].lock", "aa")))


CSI = re.compile(r"\x1b\[([\d;]*)m")


@pytest.mark.parametrize(
    "args, env, colored",
    [
        ([], [], True),
        ([], ["NO_COLOR=1"], False),
        ([], ["NO_COLOR="], True),
        (["--color=always"], ["NO_COLOR=1"], True),
        (["--color=never"], [], False),
    ],
)
def test_colours(args, env, colored, pane):
    """Heads and selection differ from the rest in any case."""
    p = pane("-i", "200ms", *args, env=["env", "-u", "NO_COLOR", "TERM=screen-256color", *env])
    p.until(has("FAILURES"))
    escapes = p.call("capture-pane", "-p", "-e")
    codes = {c for seq in CSI.findall(escapes) for c in seq.split(";")}
    assert bool(codes & {"30", "36", "42"}) == colored, codes
    heads = next(line for line in escapes.splitlines() if "FAILURES" in line)
    assert CSI.search(heads)
    p.keys("q")
    assert p.ended() == 0


@needs_locks
def test_both_sides_in_detail(pane):
    """What the event says of the owner is on a line of its own."""
    p = pane("-i", "200ms", "--kind", "abba")
    p.until(has("FAILURES"))
    run = run_sample("abba", "--count", 7)
    assert run["total"]["failures"]["EDEADLK"]
    p.until(lambda ls: rows(ls))
    p.keys("Enter")
    lines = p.until(lambda ls: has("latest failure")(ls) and ls)
    assert any(re.match(r"  holds lock_[ab]\(map", line) for line in lines), lines
    assert any(re.match(r"  owner ", line) for line in lines), lines
    p.keys("C-c")
    assert p.ended() == 0


def test_more_events_than_can_be_read(nothing_left, pane):
    """Those that were overwritten are counted, and the screen says how many."""
    with pinned(RING) as where:
        p = pane("-i", "200ms", "--source", "ring", "--prog", "two_locks")
        p.until(has("FAILURES"))
        os.kill(p.pid(), signal.SIGSTOP)
        run_pinned(where / "two_locks", 997)
        os.kill(p.pid(), signal.SIGCONT)
        lines = p.until(lambda ls: any("997 failures" in x for x in ls) and ls)
        assert "; only counted: 933" in lines[1]
        p.keys("q")
        assert p.ended() == 0


def test_lost_events_are_shown(nothing_left, pane):
    """Nobody knows whether what was overwritten was of the process asked for."""
    with pinned(RING) as where:
        p = pane("-i", "200ms", "--source", "ring", "--pid", str(os.getpid()))
        p.until(has("FAILURES"))
        os.kill(p.pid(), signal.SIGSTOP)
        run_pinned(where / "two_locks", 997)
        os.kill(p.pid(), signal.SIGCONT)
        lines = p.until(lambda ls: has("lost: 933")(ls) or has("lost: at least 933")(ls) and ls)
        assert has("0 failures, 0.0/s")(lines)
        p.keys("q")
        assert p.ended() == 0


def rss(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1])


def test_a_million_events_need_no_memory(nothing_left, pane):
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("the sanitizer keeps memory that was freed")
    with pinned(FALLBACK) as where:
        p = pane("-i", "200ms", "--source", "ring", "--prog", "two_locks")
        p.until(has("FAILURES"))
        sizes = []
        for total in (1000003, 2000006, 3000009):
            run_pinned(where / "two_locks", 1000003)
            p.until(has(f"{total} failures"))
            sizes.append(rss(p.pid()))
        # What is read in one go is in memory for a moment; 4 bytes of each event would be 8000 kB.
        # The unit test of top has the exact bound.
        assert sizes[2] - sizes[0] < 8000, f"{sizes} kB"
        p.keys("q")
        assert p.ended() == 0


def test_sizes(pane, monkeypatch):
    monkeypatch.setenv("LINES", "24")  # as some shells export them: the terminal's own size counts
    monkeypatch.setenv("COLUMNS", "80")
    p = pane("-i", "125ms")
    p.until(has("FAILURES"))
    for x, y in ((20, 3), (2, 2), (200, 60), (10, 2), (80, 24)):
        p.resize(x, y)
        # What is drawn after the change is as wide as the terminal.
        p.until(lambda ls, x=x: ls and (ls[0] + " " * 200)[:x].startswith("rqspin top  by"[:x]))
        p.keys("Enter", "Down", "h", "Escape", "Escape")
    p.until(has("FAILURES"))
    p.keys("q")
    assert p.ended() == 0


@pytest.mark.parametrize("size", [(65535, 80), (24, 65535), (65535, 65535), (0, 0)])
def test_sizes_that_no_terminal_has(size, tmp_path):
    """curses would allocate gigabytes, or crash."""
    limit = f"ulimit -v 4000000; exec {RQSPIN} top -i 100ms"
    if os.environ.get("O", "build") != "build":
        limit = f"exec {RQSPIN} top -i 100ms"  # the sanitizers' memory is larger than that
    with Terminal(limit, tmp_path, os.environ, size=size) as t:
        t.until("rqspin top")
        t.resize(30, 100)
        t.until("rqspin top(.|\n)*rqspin top")
        t.resize(*size)
        t.press("q")
        assert t.end() == 0


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_restore_the_terminal(sig, pane):
    p = pane("-i", "200ms")
    p.until(has("FAILURES"))
    os.kill(p.pid(), sig)
    assert p.ended() == 0


def test_n_and_duration_end_it(pane):
    for args in (["-n", "2", "-i", "100ms"], ["-d", "300ms"]):
        assert pane(*args).ended() == 0


@pytest.mark.parametrize("term", ["TERM=nonsense", "TERM=dumb", "TERM=", "env -u TERM"])
def test_terminals_that_cannot_do_it(term, pane):
    p = pane(env=[term])
    assert p.ended() == 3
    lines = p.lines()
    assert has("use --batch")(lines) and not has("FAILURES")(lines)


def test_no_terminal():
    res = rqspin("top")
    assert res.returncode == 2 and res.stdout == ""
    assert res.stderr == "rqspin: standard output is no terminal: use --batch\n"
    ours, theirs = pty.openpty()
    cmd = [RQSPIN, "top"]
    res = subprocess.run(
        cmd, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, text=True
    )
    os.close(theirs)
    os.close(ours)
    assert res.returncode == 2
    assert res.stderr == "rqspin: standard input is no terminal: use --batch\n"
