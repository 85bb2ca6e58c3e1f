# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The driver in a tree of its own, whose guests are scripts that answer at once."""

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
# Who starts the tests in the background may ignore it; what they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
COPIED = (
    "scripts/run-tests.sh",
    "scripts/tally.py",
    "selftests/vm/run-suites.sh",
    "selftests/vm/guest-suites.sh",
    "selftests/vm/kernel-log.sh",
    "selftests/vm/kernels.conf",
    "selftests/vm/dmesg-allow.txt",
)
# For what takes a second on an idle machine.
LIMIT = 60
SUITES = """
+full | old queue | 60 | echo "ok 1 - full"
+least-of-b | b queue | 60 | selftests/kernel/brief.sh
+least-of-newest | newest queue | 60 | selftests/kernel/brief.sh
"""
# A guest is a process of this machine. It notes each boot, and dies if a suite asks for that.
FETCH = """#!/bin/bash
mkdir -p build/kernels/$1
cat images/$1 >build/kernels/$1/IMAGE
cat said/$1 >&2 2>/dev/null || true
"""
RUN = """#!/bin/bash
[ ! -e said/$2 ] || cat said/$2 >&2
echo "$*" >>boots
while [ "$1" != -- ]; do shift; done
shift
PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp "$@" &
echo $! >guest.pid
wait $! || { echo "vm: the guest ended" >&2; exit 125; }
[ ! -e stuck ] || { rm stuck; echo "vm: did not power off" >&2; exit 126; }
"""
KERNEL_SH = """#!/bin/bash
echo "ok 1 - least"
"""
# What a guest's kernel log, init and bpffs have; files of the tree stand for them.
GUEST_TOOLS = {
    "dmesg": "cat dmesg",
    "find": "cat pins",
    "ps": 'case "$*" in *stat=*) cat orphans ;; *) echo 17 left-over ;; esac',
}


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def tree(tmp_path):
    for folder in ("scripts", "selftests/vm", "images", "said", "tmp"):
        (tmp_path / folder).mkdir(parents=True)
    for name in COPIED:
        shutil.copy(TOP / name, tmp_path / name)
    (tmp_path / "scripts/suites.conf").write_text(SUITES)
    write_script(tmp_path / "selftests/vm/fetch-kernel.sh", FETCH)
    write_script(tmp_path / "selftests/vm/run.sh", RUN)
    write_script(tmp_path / "selftests/kernel/brief.sh", KERNEL_SH)
    for name, command in GUEST_TOOLS.items():
        write_script(tmp_path / "bin" / name, f"#!/bin/bash\n{command}\n")
    for name in ("dmesg", "orphans", "pins"):
        (tmp_path / name).touch()
    for kernel, image in (("old", "linux-7.2 7.2-1"), ("b", "linux-7.3 7.3-1")):
        (tmp_path / "images" / kernel).write_text(image)
    return tmp_path


def run_all(tree, **more):
    env = os.environ | {"BPFTOOL": "/bin/false"} | more
    if "RQSPIN_TEST_SECONDS" not in more:
        env.pop("RQSPIN_TEST_SECONDS", None)
    cmd = ["scripts/run-tests.sh", "--all"]
    res = subprocess.run(cmd, cwd=tree, env=env, capture_output=True, text=True, check=False)
    return res.returncode, res.stdout


@pytest.mark.parametrize("twin", ["old", "b"])
def test_one_image_is_tested_once(tree, twin):
    image = (tree / "images" / twin).read_text()
    (tree / "images/newest").write_text(image)
    status, out = run_all(tree)
    assert status == 0, out
    assert out.splitlines()[-1] == "2 passed, 0 failed, 1 skipped"
    assert f"skip: least-of-newest: whole suite: newest is the image of {twin} ({image})" in out


def test_a_suite_that_is_nowhere_else_runs_in_any_case(tree):
    (tree / "images/b").write_text((tree / "images/old").read_text())
    (tree / "scripts/suites.conf").write_text(SUITES + "+own | b queue | 60 | echo ok 1\n")
    (tree / "images/newest").write_text("linux-7.4 7.4~rc1-1")
    status, out = run_all(tree)
    assert status == 0, out
    assert out.splitlines()[-1] == "3 passed, 0 failed, 1 skipped"
    assert "skip: least-of-b: whole suite: b is the image of old" in out


def test_another_image_is_tested(tree):
    (tree / "images/newest").write_text("linux-7.4 7.4~rc1-1")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, "3 passed, 0 failed, 0 skipped")


@pytest.mark.parametrize(
    ("image", "sum_of"),
    [
        ("linux-7.4 7.4~rc1-1", "3 passed, 0 failed, 1 skipped"),
        ("linux-7.3 7.3-1", "2 passed, 0 failed, 2 skipped"),
    ],
)
def test_a_suite_that_nobody_could_look_at_is_in_the_sum(tree, image, sum_of):
    (tree / "images/newest").write_text(image)
    unseen = "newest: suite not looked at: no package lists from x rare"
    (tree / "said/newest").write_text(f"fetch-kernel: {unseen}\n")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, sum_of)
    assert f"skip: least-of-newest: newer kernel: {unseen}" in out


def write_suites(tree, *commands):
    """Suites s1, s2, ... in one guest."""
    lines = [f"+s{i + 1} | old queue | 60 | {text}\n" for i, text in enumerate(commands)]
    (tree / "scripts/suites.conf").write_text("".join(lines))


def boots(tree):
    return len((tree / "boots").read_text().splitlines())


def verdicts(tree):
    """(suite, kind, test, reason) of all results."""
    rows = (tree / "build/test-logs/results.tsv").read_text().splitlines()
    return [tuple(row.split("\t")) for row in rows]


def test_suites_of_one_guest_share_a_boot(tree):
    write_suites(
        tree, "echo ok 1 - a; echo talk >&2", "echo ok 1 - b", 'test -z "$(ls $TMPDIR)"; echo ok 1'
    )
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1], boots(tree)) == (0, "3 passed, 0 failed, 0 skipped", 1)
    logs = tree / "build/test-logs"
    assert [(logs / f"s{i}.log").read_text().split() for i in (1, 2)] == [
        ["ok", "1", "-", "a", "talk"],
        ["ok", "1", "-", "b"],
    ]


def test_another_path_of_the_lock_is_another_boot(tree):
    write_suites(tree, "echo ok 1")
    with open(tree / "scripts/suites.conf", "a", encoding="utf-8") as f:
        f.write("+other | old tas 2 | 60 | echo ok 1\n")
    status, _ = run_all(tree)
    assert status == 0
    assert [line.split(" --timeout")[0] for line in (tree / "boots").read_text().splitlines()] == [
        "--kernel old --cpu queue --cpus 4",
        "--kernel old --cpu tas --cpus 2",
    ]


def test_idle_suites_run_beside_the_rest(tree):
    """Each of the two waits for the other."""
    os.mkfifo(tree / "meet")
    (tree / "scripts/suites.conf").write_text(
        "+here | host idle | 60 | echo >meet && echo ok 1; chrt -p $$\n"
        "+there | old queue | 60 | read -r line <meet && echo ok 1\n"
    )
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 skipped")
    assert "SCHED_IDLE" in (tree / "build/test-logs/here.log").read_text()


@pytest.mark.parametrize(("lane", "place", "other"), [("idle", " idle", ""), ("main", "", " idle")])
def test_suites_that_end_early_are_a_failure(tree, lane, place, other):
    (tree / "scripts/suites.conf").write_text(
        f"+here | host{place} | 60 | kill -KILL -- -$(ps -o pgid= -p $(ps -o ppid= -p $PPID))\n"
        f"+there | host{other} | 60 | echo ok 1\n"
    )
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 skipped")
    assert f"fail: {lane}: (suites): ended too early" in out


@pytest.mark.parametrize("place", ["host", "host idle"])
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_ends_its_suites(tree, sig, place):
    os.mkfifo(tree / "begun")
    suites = f"+here | {place} | 6000 | exec 3>begun; echo >&3; exec sleep 1000\n"
    (tree / "scripts/suites.conf").write_text(suites)
    env = os.environ | {"BPFTOOL": "/bin/false"}
    cmd = ["scripts/run-tests.sh", "--all"]
    proc = subprocess.Popen(cmd, cwd=tree, env=env, stdout=subprocess.DEVNULL)
    try:
        with open(tree / "begun", encoding="utf-8") as begun:
            begun.readline()
            proc.send_signal(sig)
            assert proc.wait(LIMIT) in (128 + sig, -sig)
            # The end of the file: the suite has ended.
            assert select.select([begun], [], [], LIMIT)[0] and begun.read() == ""
    finally:
        proc.kill()


DIES = "echo ok 1 - begun; kill -KILL $(cat guest.pid)"


def test_a_guest_that_dies_fails_its_suite_and_the_rest_has_a_new_one(tree):
    write_suites(tree, "echo ok 1", DIES, "echo ok 1 - c", "echo ok 1 - d")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1], boots(tree)) == (1, "4 passed, 1 failed, 0 skipped", 2)
    assert "fail: s2: (suite): exit status 125 without a failed test" in out
    assert "vm: the guest ended" in (tree / "build/test-logs/s2.log").read_text()


def test_a_suite_over_its_time_fails_and_the_rest_has_a_new_guest(tree):
    write_suites(tree, "echo ok 1", "sleep 100", "echo ok 1")
    conf = tree / "scripts/suites.conf"
    conf.write_text(conf.read_text().replace("60 | sleep", "1 | sleep"))
    status, out = run_all(tree)
    assert (status, boots(tree)) == (1, 2)
    assert "fail: s2: (suite): time limit" in out
    assert ("pass", "s3", "", "") in verdicts(tree)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo ok 1; echo '[ 1.2] WARNING: CPU 0' >dmesg", "exit status 126 without a failed test"),
        ("echo not ok 1; exit 1", "not ok"),
    ],
)
def test_after_a_failure_the_rest_has_a_new_guest(tree, command, why):
    write_suites(tree, command, ": >dmesg; echo ok 1")
    (tree / "selftests/vm/run.sh").write_text(RUN.replace("shift\nPATH", "shift; : >dmesg\nPATH"))
    status, out = run_all(tree)
    assert (status, boots(tree)) == (1, 2), out
    assert why in out + (tree / "build/test-logs/s1.log").read_text()
    assert ("pass", "s2", "", "") in verdicts(tree)


@pytest.mark.parametrize("what", ["orphans", "pins"])
def test_what_a_suite_leaves_behind_does_not_reach_the_next(tree, what):
    write_suites(tree, f"echo ok 1; echo 17 S >{what}", "echo ok 1")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1], boots(tree)) == (0, "2 passed, 0 failed, 0 skipped", 2)
    assert "left behind" in (tree / "build/test-logs/s1.log").read_text()


@pytest.mark.parametrize(("state", "guests"), [("Z", 1), ("Z+", 1), ("Zsl", 2)])
def test_a_zombie_is_left_behind_if_its_threads_go_on(tree, state, guests):
    write_suites(tree, f"echo ok 1; echo 17 {state} >orphans", "echo ok 1")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 skipped")
    assert boots(tree) == guests
    said = "left behind" in (tree / "build/test-logs/s1.log").read_text()
    assert said == (guests == 2)


def test_an_end_that_is_not_clean_fails_the_last_suite(tree):
    write_suites(tree, "echo ok 1", "echo ok 1; touch stuck")
    status, out = run_all(tree)
    assert (status, boots(tree)) == (1, 1)
    assert "fail: s2: (suite): exit status 126 without a failed test" in out


def test_suites_that_there_is_no_time_for_are_skipped(tree):
    write_suites(tree, "echo ok 1; echo 9999999999 >now", "echo ok 1", "echo ok 1")
    write_script(tree / "bin/date", '#!/bin/bash\ncat now 2>&- || exec /bin/date "$@"\n')
    status, out = run_all(tree, RQSPIN_TEST_SECONDS="1000")
    assert (status, out.splitlines()[-1], boots(tree)) == (0, "1 passed, 0 failed, 2 skipped", 1)
    assert "skip: s3: whole suite: the 1000 s of this run were used up" in out


def test_a_kernel_that_is_not_built_is_a_skip_that_says_how(tree):
    write_suites(tree, "echo ok 1", "echo ok 1")
    said = "fetch-kernel: old is built here: run make kernel SERIES=7.x/fixes"
    write_script(tree / "selftests/vm/run.sh", f"#!/bin/bash\necho '{said}' >&2\nexit 3\n")
    with open(tree / "scripts/suites.conf", "a", encoding="utf-8") as f:
        f.write("+host | host | 60 | echo ok 1\n")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, "1 passed, 0 failed, 2 skipped")
    assert f"skip: s2: whole suite: {said}" in out


@pytest.mark.parametrize(
    "command, limit, result",
    [
        ("touch made", None, (0, "2 passed, 0 failed, 0 skipped")),
        ("exit 3", None, (0, "2 passed, 0 failed, 0 skipped")),
        ("echo a.c: error; exit 2", None, (1, "0 passed, 2 failed, 0 skipped")),
        ("exit 2", "1000", (0, "2 passed, 0 failed, 0 skipped")),
    ],
    ids=["built", "no-source", "broken", "no-time"],
)
def test_a_kernel_of_a_series_is_built_first(tree, command, limit, result):
    """Without its source the guest says what it needs, as above."""
    right = "[ $(SERIES) = 7.x/fixes ] && [ ! -e made ]"
    # Two places are two guests; the kernel is built for the first one.
    suites = "".join(
        f"+s{i} | 7.x-fixes {p} | 60 | echo ok 1\n" for i, p in ((1, "queue"), (2, "tas"))
    )
    (tree / "scripts/suites.conf").write_text(suites)
    (tree / "images/7.x-fixes").write_text("linux-7.3 7.3-1")
    (tree / "Makefile").write_text(f"kernel-tree:\nkernel:\n\t@{right} || exit 9; {command}\n")
    write_script(tree / "kernel-patches/regen.sh", "#!/bin/bash\n[ $SERIES = 7.x/fixes ]\n")
    more = {"RQSPIN_TEST_SECONDS": limit} if limit else {}
    status, out = run_all(tree, **more)
    assert (status, out.splitlines()[-1]) == result, out
    assert (tree / "made").exists() == (command == "touch made")
    assert ("a.c: error" in out) == (status == 1), out


BUILT = "build/kernels/7.x-fixes"


@pytest.mark.parametrize(
    "make, result",
    [
        (f"mkdir -p {BUILT}; touch {BUILT}/RELEASE", (0, "2 passed, 0 failed, 0 skipped")),
        ("exit 3", (0, "1 passed, 0 failed, 1 skipped")),
        ("exit 2", (1, "1 passed, 1 failed, 0 skipped")),
    ],
    ids=["built", "no-source", "broken"],
)
def test_kernels_of_a_suite_that_boots_them_itself(tree, make, result):
    said = "7.x-fixes is built here: run make kernel SERIES=7.x/fixes"
    suites = "+host | host | 60 | echo ok 1\n+own | host 7.x-fixes | 60 | echo ok 1\n"
    (tree / "scripts/suites.conf").write_text(suites)
    (tree / "Makefile").write_text(f"kernel-tree:\nkernel:\n\t@{make}\n")
    write_script(tree / "kernel-patches/regen.sh", "#!/bin/bash\n")
    for name in ("selftests/vm/fetch-kernel.sh", "scripts/private-apt.sh", "scripts/mirrors.sh"):
        shutil.copy(TOP / name, tree / name)
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == result, out
    assert not (tree / "boots").exists()
    assert (said in out) == (make == "exit 3")


def test_a_tree_of_other_patches_is_a_failure(tree):
    (tree / "scripts/suites.conf").write_text("+s1 | 7.x-fixes queue | 60 | echo ok 1\n")
    (tree / "Makefile").write_text("kernel-tree:\nkernel:\n\ttouch made\n")
    said = "#!/bin/bash\necho the series is not that of the tree\nexit 1\n"
    write_script(tree / "kernel-patches/regen.sh", said)
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (1, "0 passed, 1 failed, 0 skipped")
    assert "the series is not that of the tree" in out
    assert not (tree / "made").exists()


def test_a_suite_without_an_answer_fails(tree):
    write_suites(tree, "echo ok 1", "echo ok 1")
    write_script(tree / "selftests/vm/run-suites.sh", "#!/bin/bash\nexit 1\n")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (1, "0 passed, 2 failed, 0 skipped")


def test_the_end_says_where_the_time_went(tree):
    write_suites(tree, "true", "true", "true", "true")
    said = [
        "boot\t12.5",
        *(f"done\ts{i}\t0\t{s}.2\t3.4" for i, s in ((1, 1), (2, 70), (3, 2), (4, 312))),
    ]
    write_script(
        tree / "selftests/vm/run-suites.sh",
        "#!/bin/bash\nfor i in 1 2 3 4; do echo ok 1 >build/test-logs/guest/s$i.log; done\n"
        + "".join(f"printf '{line}\\n'\n" for line in said).replace("\t", "\\t"),
    )
    status, out = run_all(tree)
    assert status == 0, out
    lines = out[out.index("where the time went") :].splitlines()
    assert [" ".join(line.split()) for line in lines[2:6]] == [
        "312 3 s4 (old queue)",
        "70 3 s2 (old queue)",
        "12 - (boot) (old queue)",
        "3 7 2 that took less than 5 s",
    ]
