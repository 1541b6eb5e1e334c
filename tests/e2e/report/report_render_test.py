#!/usr/bin/env python3
"""Renders the sample report in headless Chromium, offline, and checks what was drawn.

usage: report_render_test.py REPORT_SAMPLE

Exit 77 (skipped) without Chromium.
"""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SAMPLE = ""
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1200,900",
    "--virtual-time-budget=20000",
]
# The least number of drawn marks a plot of the sample must have.
LEAST_MARKS = {
    "riskCoverage": 4,
    "reliability": 40,
    "histograms": 24,
    "certificate": 40,
    "heads": 144,
}
MARK = re.compile(r"\bmark-(?:rect|line|area|symbol|text|rule)\b")
SHAPES = {"path", "rect", "circle", "text", "line"}
VOID = {"meta", "img", "br", "input", "link", "hr"}


class Page(html.parser.HTMLParser):
    """Counts elements, and per plot the shapes below a mark group."""

    def __init__(self):
        super().__init__()
        self.stack = []
        self.tags = []
        self.states = []
        self.marks = {}
        self.title = ""
        self.plots_done = False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        if tag == "html":
            self.plots_done = attrs.get("data-plots") == "done"
        if tag == "figure" and "data-plot" in attrs:
            self.states.append((attrs["data-plot"], attrs.get("data-state")))
        if tag in SHAPES and any(MARK.search(a.get("class") or "") for _, a in self.stack):
            plots = [a["data-plot"] for t, a in self.stack if t == "figure" and "data-plot" in a]
            visible = attrs.get("d") != "" and attrs.get("opacity") != "0"
            drawn = visible and not self._is_guide()
            if plots and drawn:
                self.marks[plots[-1]] = self.marks.get(plots[-1], 0) + 1
        if tag not in VOID:
            self.stack.append((tag, attrs))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        while self.stack and tag not in VOID:
            if self.stack.pop()[0] == tag:
                break

    def handle_data(self, data):
        if [tag for tag, _ in self.stack[-2:]] == ["head", "title"]:
            self.title += data

    def _is_guide(self):
        guide = re.compile(r"role-(?:axis|legend|title|header)|axis-|legend-|title-")
        return any(guide.search(a.get("class") or "") for _, a in self.stack)


def browse(page, folder):
    """The page after its scripts have run, and what the browser logged."""
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder}/profile", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, check=True, timeout=250, capture_output=True)
    parsed = Page()
    parsed.feed(done.stdout.decode("utf-8", "replace"))
    return parsed, done.stderr.decode("utf-8", "replace")


class ReportRenderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="hydra-report-") as folder:
            path = pathlib.Path(folder, "report.html")
            subprocess.run([SAMPLE, str(path)], check=True, timeout=60)
            cls.page, cls.log = browse(path, folder)
            cls.source = path.read_text(encoding="utf-8", errors="surrogateescape")

    def test_every_plot_is_drawn(self):
        self.assertTrue(self.page.plots_done)
        self.assertEqual({plot for plot, _ in self.page.states}, set(LEAST_MARKS))
        self.assertEqual([state for _, state in self.page.states if state != "drawn"], [])
        for plot, least in LEAST_MARKS.items():
            self.assertGreaterEqual(self.page.marks.get(plot, 0), least, plot)

    def test_console_is_silent(self):
        self.assertEqual([line for line in self.log.splitlines() if "CONSOLE" in line], [])

    def test_markup_in_texts_stays_text(self):
        self.assertTrue(self.page.title.startswith("sample-ensemble </script><script>"))
        images = [attrs for tag, attrs in self.page.tags if tag == "img"]
        self.assertEqual(len(images), 2 * (1 + 3))  # inputs with their maps
        self.assertTrue(all(image["src"].startswith("data:image/png;base64,") for image in images))
        self.assertEqual(len([tag for tag, _ in self.page.tags if tag == "script"]), 5)

    def test_page_refers_to_nothing_outside(self):
        for tag, attrs in self.page.tags:
            self.assertNotEqual(tag, "link")
            for name in ("src", "href", "xlink:href"):
                self.assertRegex(attrs.get(name) or "#", r"^(#|data:|blob:)", tag)
        style = re.search(r"<style>(.*?)</style>", self.source, re.DOTALL).group(1)
        self.assertNotIn("url(", style)
        self.assertNotIn("@import", style)
        self.assertNotIn("sourceMappingURL", self.source)

    def test_other_scripts_are_refused(self):
        with tempfile.TemporaryDirectory(prefix="hydra-report-") as folder:
            page = pathlib.Path(folder, "injected.html")
            source = self.source.replace(
                "<body>", "<body><script>document.title='owned'</script>", 1
            )
            page.write_text(source, encoding="utf-8", errors="surrogateescape")
            parsed, log = browse(page, folder)
            self.assertTrue(parsed.plots_done)
            self.assertNotEqual(parsed.title, "owned")
            self.assertIn("Content Security Policy", log)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if BROWSER is None:
        print("chromium is not installed")
        sys.exit(77)
    SAMPLE = sys.argv.pop(1)
    unittest.main()
