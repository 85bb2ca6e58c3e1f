# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The site of all documents: its links hold, it loads nothing from elsewhere, browsers show it."""

import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]
SITE = TOP / "build/docs/site"
LIMIT = 120
SIZES = {"phone": "390,844", "desktop": "1280,900"}


@pytest.fixture(scope="module")
def site():
    if not (TOP / "build/rqspin").exists() or not shutil.which("groff"):
        pytest.skip("needs make build, and groff: scripts/setup.sh")
    res = subprocess.run(
        ["make", "-s", "-C", TOP, "site"], capture_output=True, text=True, timeout=LIMIT
    )
    assert res.returncode == 0, res.stderr
    return SITE


def test_nothing_is_loaded_from_elsewhere(site):
    loads = re.compile(r"""<(?:script|link|img)[^>]*(?:src|href)=["'](?:https?:)?//[^"']+""")
    for page in site.rglob("*.html"):
        assert not loads.findall(page.read_text()), page


def test_every_page_can_be_reached(site):
    pages = {p.relative_to(site).with_suffix("") for p in site.rglob("*.html")}
    names = {str(p) for p in pages} - {"search", "genindex"}
    index = (site / "index.html").read_text()
    assert {n for n in names if f'href="{n}.html' not in index} <= {"index"}
    for document in (TOP / "docs").glob("*.md"):
        assert f"docs/{document.stem}" in names, f"{document} is not in docs/site/index.md"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", ["index", "docs/tutorial", "docs/lock"])
def test_browser(site, tmp_path, page, size):
    browser = shutil.which("chromium") or pytest.skip("needs chromium: scripts/setup.sh")
    picture = tmp_path / "page.png"
    cmd = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    cmd += [f"--user-data-dir={tmp_path}/profile", f"--window-size={SIZES[size]}"]
    cmd += [f"--screenshot={picture}", (site / f"{page}.html").as_uri()]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr
    assert not [line for line in res.stderr.splitlines() if "CONSOLE" in line]
    assert picture.stat().st_size > 10000
