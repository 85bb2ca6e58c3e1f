# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin export`: what a Prometheus scrapes, or finds in a file, are the exact counts."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from bpfobj import pinned, run_pinned
from conftest import BUILD, LIMIT, RQSPIN, rqspin, run_sample, stat_while, stopped

FAILURES = "rqspin_lock_failures_total"
RING = BUILD / "selftests/tool/rings/ring_64.bpf.o"
OPENMETRICS = "application/openmetrics-text"


def tool(name):
    """Of Debian's package prometheus."""
    path = shutil.which(name)
    if not path:
        pytest.skip(f"needs {name} of Debian's package prometheus: scripts/setup.sh")
    return path


class Exporter:
    def __init__(self, *args, by=()):
        cmd = [*by, RQSPIN, "export", *map(str, args)]
        self.proc = subprocess.Popen(cmd, stderr=subprocess.PIPE, text=True)
        self.talk = []
        for line in self.proc.stderr:
            self.talk.append(line)
            if found := re.match(r"metrics: ([^,\s]+)", line):
                self.where = found[1]
                return
        pytest.fail(f"exit code {self.proc.wait()}: {''.join(self.talk)}")

    def until(self, text):
        """The next line with that text on standard error."""
        for line in self.proc.stderr:
            self.talk.append(line)
            if text in line:
                return
        pytest.fail(f"ended without '{text}': {self.talk}")

    def scrape(self, accept="text/plain"):
        request = urllib.request.Request(self.where, headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            self.content_type = answer.headers["Content-Type"]
            return answer.read().decode()

    def stop(self, sig=signal.SIGINT):
        if self.proc.poll() is None:
            self.proc.send_signal(sig)
        self.talk += self.proc.communicate(timeout=LIMIT)[1].splitlines(keepends=True)
        return self.proc.returncode


@contextlib.contextmanager
def exporter(*args, by=()):
    """by: a command that runs it."""
    x = Exporter(*args, by=by)
    try:
        yield x
        assert x.stop() == 0, x.talk
    finally:
        x.proc.kill()
        x.proc.wait()


def listening(*args, by=()):
    return exporter("--listen", "127.0.0.1:0", *args, by=by)


def samples(text):
    """{name: {labels: value}} of metrics without a backslash in a label."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)(?:{(.*)})? (\S+)", line).groups()
            pairs = tuple(v for _, v in re.findall(r'(\w+)="([^"]*)"', labels or ""))
            assert pairs not in found.setdefault(name, {}), line
            found[name][pairs] = float(value)
    return found


def burst(where, prog, count):
    run_pinned(where / prog, count, on=("taskset", "-c", "0"))


def expected(count):
    """What so many runs of two_locks leave."""
    third = (count + 2) // 3
    return {
        ("two_locks", "slots[1].lock", "AA"): third,
        ("two_locks", "slots[2].lock", "AA"): count - third,
    }


def counted(x, want, name=FAILURES):
    """Scrape until the sum is there: a failure is seen soon after it happened, and only once."""
    deadline = time.monotonic() + LIMIT
    rows = {}
    while sum(rows.values()) < sum(want.values()) and time.monotonic() < deadline:
        rows = samples(x.scrape()).get(name, {})
    return rows


@pytest.mark.parametrize("count", [997, 99991])
def test_the_counts_are_exact(nothing_left, count):
    mine = ("--source", "ring", "--prog", "two_locks")
    with pinned(RING) as where, listening(*mine, "--strict") as x:
        with stopped(x):
            burst(where, "two_locks", count)
        assert counted(x, expected(count)) == expected(count)
        other = samples(x.scrape())
    assert other["rqspin_up"] == {(): 1} and other["rqspin_lost_failures_total"] == {(): 0}
    assert other["rqspin_losses_unknown"] == {(): 0}
    assert other["rqspin_source_info"] == {("ring",): 1}
    version = rqspin("--version").stdout.split()[1]
    assert other["rqspin_build_info"] == {(version,): 1}


def test_the_counts_are_those_of_stat():
    with listening() as x:

        def body(_stat):
            run_sample("aa", "--count", 97)
            run_sample("nested", "--count", 100)

        table = stat_while(body)
        want = {(r["prog"], r["lock"]["name"], r["kind"]): r["count"] for r in table["counters"]}
        assert want == {("aa", "slots[0].lock", "AA"): 97}
        assert counted(x, want) == want


def test_a_reloaded_object_goes_on(nothing_left):
    with listening() as x:
        for count, total in ((7, 7), (5, 12)):
            run_sample("aa", "--count", count)
            want = {("aa", "slots[0].lock", "AA"): total}
            assert counted(x, want) == want


def test_counters_never_go_down(nothing_left):
    """Scraped while failures are lost and found."""
    with pinned(RING) as where, listening("--source", "ring", "--prog", "two_locks") as x:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = [pool.submit(burst, where, "two_locks", 199) for _ in range(50)]
            before, scrapes = {}, 0
            while not all(r.done() for r in runs):
                now = samples(x.scrape()).get(FAILURES, {})
                assert all(now[k] >= v for k, v in before.items())
                before, scrapes = now, scrapes + 1
            assert all(r.result() is None for r in runs) and scrapes > 1
        want = expected(50 * 199)
        assert counted(x, want) == want


def test_filters():
    with listening("--prog", "nobody") as x:
        run_sample("aa", "--count", 7)
        assert x.stop() == 0
        assert any("no failure matched --prog nobody; 7 others" in line for line in x.talk), x.talk


def test_the_number_of_series_is_limited(nothing_left):
    """1024 locks, twice each: ten have names, and the sum is exact."""
    with pinned(RING) as where, listening("--source", "ring", "--max-series", 10) as x:
        with stopped(x):
            burst(where, "many_locks", 2048)
        rows = counted(x, {"all": 2048})
        assert samples(x.scrape())["rqspin_series_limit_reached"] == {(): 1}
    assert sum(rows.values()) == 2048
    assert len([r for r in rows if r[0] or r[1]]) == 10
    assert set(rows) - {r for r in rows if r[0]} <= {("", "", "AA"), ("", "", "UNKNOWN")}


def test_promtool_finds_nothing():
    with listening() as x:
        run_sample("aa", "--count", 7)
        counted(x, {"all": 7})
        res = subprocess.run(
            [tool("promtool"), "check", "metrics"], input=x.scrape(), capture_output=True, text=True
        )
        assert x.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert (res.returncode, res.stdout, res.stderr) == (0, "", "")


def test_openmetrics():
    with listening() as x:
        text = x.scrape(f"{OPENMETRICS};version=1.0.0,text/plain;q=0.5")
    assert x.content_type == f"{OPENMETRICS}; version=1.0.0; charset=utf-8"
    assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1
    assert "# TYPE rqspin_lock_failures counter\n" in text


@contextlib.contextmanager
def prometheus(tmp_path, target):
    """A real one, which scrapes the target once a second. Yields a function that asks it."""
    config = tmp_path / "prometheus.yml"
    config.write_text(
        "global: {scrape_interval: 1s}\n"
        f"scrape_configs: [{{job_name: rqspin, static_configs: [{{targets: ['{target}']}}]}}]\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    cmd = [tool("prometheus"), f"--config.file={config}", f"--storage.tsdb.path={tmp_path}/data"]
    cmd.append(f"--web.listen-address={address}")
    proc = subprocess.Popen(cmd, stderr=subprocess.PIPE, text=True)

    def ask(query):
        url = f"http://{address}/api/v1/query?query={urllib.parse.quote(query)}"
        with urllib.request.urlopen(url, timeout=LIMIT) as answer:
            return json.load(answer)["data"]["result"]

    try:
        assert any("Server is ready" in line for line in proc.stderr)
        yield ask
    finally:
        proc.terminate()
        proc.communicate(timeout=LIMIT)


def test_a_real_prometheus_has_the_counts(tmp_path, nothing_left):
    count = 9973
    with pinned(RING) as where, listening("--source", "ring") as x:
        target = x.where.removeprefix("http://").removesuffix("/metrics")
        with prometheus(tmp_path, target) as ask:
            with stopped(x):
                burst(where, "two_locks", count)
            deadline = time.monotonic() + LIMIT
            rows = {}
            while sum(rows.values()) < count and time.monotonic() < deadline:
                rows = {
                    tuple(r["metric"][k] for k in ("program", "lock", "kind")): int(r["value"][1])
                    for r in ask(FAILURES)
                }
            assert rows == expected(count)
            assert [r["value"][1] for r in ask("rqspin_up")] == ["1"]
            assert [r["value"][1] for r in ask("up")] == ["1"]


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(tmp_path, nothing_left, sig):
    """The file's last version has all, and says that nobody counts any more."""
    file = tmp_path / "rqspin.prom"
    with pinned(RING) as where, exporter("--textfile", file, "--source", "ring") as x:
        assert samples(file.read_text())["rqspin_up"] == {(): 1}
        with stopped(x):
            burst(where, "two_locks", 997)
        assert x.stop(sig) == 0
    found = samples(file.read_text())
    assert found[FAILURES] == expected(997) and found["rqspin_up"] == {(): 0}
    assert [p.name for p in tmp_path.iterdir()] == ["rqspin.prom"]
    assert file.stat().st_mode & 0o777 == 0o666 & ~os_umask() & 0o644


def os_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_interrupted_while_listening(nothing_left):
    with listening() as x:
        assert x.stop(signal.SIGTERM) == 0
    with pytest.raises(urllib.error.URLError):
        x.scrape()


def test_the_file_is_renewed(tmp_path):
    file = tmp_path / "rqspin.prom"
    with exporter("--textfile", file, "--interval", "50ms"):
        run_sample("aa", "--count", 7)
        deadline = time.monotonic() + LIMIT
        rows = {}
        while sum(rows.values()) < 7 and time.monotonic() < deadline:
            rows = samples(file.read_text()).get(FAILURES, {})
    assert rows == {("aa", "slots[0].lock", "AA"): 7}


def test_duration(tmp_path, nothing_left):
    file = tmp_path / "rqspin.prom"
    res = rqspin("export", "--textfile", file, "--duration", "300ms")
    assert (res.returncode, res.stdout) == (0, "")
    assert samples(file.read_text())["rqspin_up"] == {(): 0}


@pytest.fixture
def small_disk(tmp_path):
    """16 KB, and a function that fills them."""
    where = tmp_path / "disk"
    where.mkdir()
    cmd = ["mount", "-t", "tmpfs", "-o", "size=16k", "none", where]
    if subprocess.run(cmd, capture_output=True).returncode:
        pytest.skip("needs a tmpfs of its own: root, and a mount that is allowed")
    yield where
    subprocess.run(["umount", where], check=True)


def fill(disk):
    with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as f:
        while True:
            f.write(bytes(512))


def test_full_disk_at_the_start(small_disk, nothing_left):
    fill(small_disk)
    res = rqspin("export", "--textfile", small_disk / "rqspin.prom")
    assert res.returncode == 1
    assert f"{small_disk}/rqspin.prom: No space left on device" in res.stderr
    assert [p.name for p in small_disk.iterdir()] == ["filler"]


def test_full_disk_for_a_while(small_disk, nothing_left):
    """The old version stays whole; once there is room the new one has everything."""
    file = small_disk / "rqspin.prom"
    with pinned(RING) as where, exporter("--textfile", file, "--interval", "50ms") as x:
        fill(small_disk)
        x.until("No space left on device; it stays as it was")
        old = samples(file.read_text())
        assert old["rqspin_up"] == {(): 1} and FAILURES not in old
        assert {p.name for p in small_disk.iterdir()} == {"rqspin.prom", "filler"}
        burst(where, "two_locks", 97)
        (small_disk / "filler").unlink()
        x.until("written again")
        assert x.stop() == 0
    assert samples(file.read_text())[FAILURES] == expected(97)


def test_full_disk_at_the_end(small_disk, nothing_left):
    file = small_disk / "rqspin.prom"
    x = Exporter("--textfile", file, "--interval", "1h")
    fill(small_disk)
    assert x.stop() == 1
    assert any("the last counts are not in it" in line for line in x.talk)
    assert samples(file.read_text())["rqspin_up"] == {(): 1}


def test_exporters_of_one_file(tmp_path):
    """Each replaces it as a whole: none is in the way of another."""
    file = tmp_path / "rqspin.prom"
    with contextlib.ExitStack() as stack:
        all_of = [stack.enter_context(exporter("--textfile", file, "-i", "1ms")) for _ in range(3)]
        for _ in range(200):
            assert samples(file.read_text())["rqspin_up"] == {(): 1}
        for x in all_of:
            assert x.stop() == 0
            assert not any("No such file" in line for line in x.talk), x.talk
    assert [p.name for p in tmp_path.iterdir()] == ["rqspin.prom"]


def test_port_in_use(nothing_left):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        res = rqspin("export", "--listen", f"127.0.0.1:{port}")
    assert (res.returncode, res.stdout) == (1, "")
    assert f"--listen 127.0.0.1:{port}: Address already in use" in res.stderr


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([], 2, "give one of --textfile FILE and --listen ADDRESS:PORT"),
        (["--textfile", "x.prom", "--listen", ":1"], 2, "give one of"),
        (["--listen", ":1", "--interval", "1"], 2, "--interval is for --textfile"),
        (["--listen", "9743"], 2, "'9743' is not ADDRESS:PORT"),
        (["--listen", "1.2.3.4:"], 2, "is not ADDRESS:PORT"),
        (["--listen", "::1:80"], 2, "is not ADDRESS:PORT"),
        (["--listen", "localhost:65536"], 2, "is not ADDRESS:PORT"),
        (["--listen", "localhost:http"], 2, "is not ADDRESS:PORT"),
        (["--listen", "192.0.2.1:9743"], 1, "this machine has no such address"),
        (["--textfile", ""], 2, "the name is empty"),
        (["--textfile", "/dev/null"], 2, "/dev/null is no regular file"),
        (["--textfile", "/tmp"], 2, "/tmp is no regular file"),
        (["--textfile", "/nowhere/x.prom"], 1, "/nowhere/x.prom: No such file or directory"),
        (["--textfile", "x", "--interval", "soon"], 2, "'soon' is not a time"),
        (["--textfile", "x", "--max-series", "0"], 2, "'0' is not a positive number"),
        (["--listen", ":0", "more"], 2, "takes no arguments, but got 'more'"),
    ],
)
def test_wrong_use(args, code, message, tmp_path):
    res = rqspin("export", *args, cwd=tmp_path)
    assert (res.returncode, res.stdout) == (code, ""), res.stderr
    assert message in res.stderr
    assert list(tmp_path.iterdir()) == []
    assert pathlib.Path("/dev/null").is_char_device()


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", ""])
def test_addresses(host):
    if host == "[::1]" and not socket.has_dualstack_ipv6():
        pytest.skip("needs IPv6")
    with exporter("--listen", f"{host}:0") as x:
        x.where = x.where.replace("[::]", "127.0.0.1").replace("0.0.0.0", "127.0.0.1")
        assert "rqspin_up 1" in x.scrape()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/other", 404),
        ("POST", "/metrics", 405),
        ("HEAD", "/metrics", 200),
    ],
)
def test_other_requests(method, path, status):
    with listening() as x:
        url = x.where.removesuffix("/metrics") + path
        data = b"x" * 100_000 if method == "POST" else None
        try:
            request = urllib.request.Request(url, method=method, data=data)
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                assert answer.status == status and bool(answer.read()) == (method == "GET")
        except urllib.error.HTTPError as error:
            assert error.code == status


def test_a_client_that_says_nothing_holds_up_nobody():
    with listening() as x, contextlib.ExitStack() as silent:
        port = int(re.search(r":(\d+)/", x.where)[1])
        for text in (b"", b"GET /met", b"\x00\xff" * 4096):
            sock = silent.enter_context(socket.create_connection(("127.0.0.1", port)))
            with contextlib.suppress(OSError):
                sock.sendall(text)
        assert "rqspin_up 1" in x.scrape()
        assert select.select([x.proc.stderr], [], [], 0)[0] == []


def connected(port, many):
    return [socket.create_connection(("127.0.0.1", port)) for _ in range(many)]


def header_line(sock):
    """Another line of a header that never ends. False once the exporter has closed it."""
    try:
        sock.sendall(b"x: y\r\n")
        return not select.select([sock], [], [], 0)[0]
    except OSError:
        return False


def test_slow_clients_hold_up_nobody():
    """As many as there may be connections, each with a line of a header all the time."""
    done = threading.Event()

    def talk(slow):
        while not done.wait(0.5):
            for sock in slow:
                header_line(sock)

    with listening() as x:
        port = int(re.search(r":(\d+)/", x.where)[1])
        for path in ("/metrics", "/", "/metrics"):
            slow = connected(port, 64)
            for sock in slow:
                sock.sendall(b"GET /metrics HTTP/1.1\r\n")
            talker = threading.Thread(target=talk, args=(slow,))
            talker.start()
            url = x.where.removesuffix("/metrics") + path
            try:
                with urllib.request.urlopen(url, timeout=60) as answer:
                    assert answer.status == 200
            finally:
                done.set()
                talker.join()
                done.clear()
            for sock in slow:
                sock.close()


def test_a_request_has_a_deadline():
    """However often something arrives: once its time is over the connection is closed."""
    with listening() as x:
        (sock,) = connected(int(re.search(r":(\d+)/", x.where)[1]), 1)
        sock.sendall(b"GET /metrics HTTP/1.1\r\n")
        end = time.monotonic() + LIMIT
        while header_line(sock):
            assert time.monotonic() < end
            select.select([sock], [], [], 0.2)
        sock.close()
        assert "rqspin_up 1" in x.scrape()


def test_a_connection_is_used_again():
    with listening() as x:
        host, port = re.search(r"//(.*):(\d+)/", x.where).groups()
        client = http.client.HTTPConnection(host, int(port), timeout=LIMIT)
        client.connect()
        sock = client.sock
        for _ in range(3):
            client.request("GET", "/metrics")
            assert b"rqspin_up 1" in client.getresponse().read()
            assert client.sock is sock
        client.close()


NEEDED = {21: "SYS_ADMIN", 34: "SYSLOG", 38: "PERFMON", 39: "BPF"}


def test_the_server_keeps_few_rights():
    """What answers the network can neither read other people's files nor load modules."""
    with listening() as x:
        status = pathlib.Path(f"/proc/{x.proc.pid}/status").read_text()
        caps = {k: int(v, 16) for k, v in re.findall(r"^Cap(\w+):\s*(\w+)", status, re.M)}
        for kind in ("Eff", "Prm", "Bnd", "Inh", "Amb"):
            assert caps[kind] & ~sum(1 << bit for bit in NEEDED) == 0, (kind, status)
        assert "NoNewPrivs:\t1" in status
        assert "rqspin_up 1" in x.scrape()


def test_programs_that_come_later_are_seen(nothing_left):
    """With the rights that are left."""
    mine = ("--source", "ring", "--prog", "two_locks")
    with listening(*mine) as x, pinned(RING) as where:
        burst(where, "two_locks", 997)
        # Some may have come before the exporter saw the program.
        assert set(counted(x, {(): 1})) <= set(expected(997))
