"""External checkers.  One that is not installed is reported as skipped, never as passed."""

import shutil
import subprocess

from tree import Finding


class Skipped(Exception):
    """The tool is not on this machine."""


def _run(tree, tool, arguments, paths):
    if shutil.which(tool) is None:
        raise Skipped(f"{tool} is not installed; deploy/setup.sh --test installs it")
    if not paths:
        return []
    done = subprocess.run(
        [tool, *arguments, *paths], cwd=tree.root, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return []
    return [
        Finding(tool, 0, line) for line in (done.stdout + done.stderr).splitlines() if line.strip()
    ] or [Finding(tool, 0, f"exit {done.returncode}")]


def clang_format(tree):
    return _run(tree, "clang-format", ["--dry-run", "-Werror"], tree.cpp())


def shellcheck(tree):
    scripts = [
        path
        for path in tree.paths
        if tree.text(path).startswith(("#!/usr/bin/env bash", "#!/bin/sh"))
    ]
    return _run(tree, "shellcheck", ["--external-sources"], scripts)


def yamllint(tree):
    paths = [path for path in tree.with_suffix(".yaml", ".yml") if "/templates/" not in path]
    return _run(tree, "yamllint", ["--strict"], paths)


def codespell(tree):
    paths = [
        path
        for path in tree.with_suffix(
            ".h", ".cc", ".py", ".sh", ".md", ".proto", ".yaml", ".txt", ".cmake"
        )
        if "/golden/" not in path
    ]
    return _run(tree, "codespell", [], paths)


def buf(tree):
    if "proto/buf.yaml" not in tree.paths:
        raise Skipped("proto/buf.yaml is not there")
    return _run(tree, "buf", ["lint"], ["proto"])
