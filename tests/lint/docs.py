"""Documents: links resolve, commands name programs, flags and files that exist, caps hold."""

import re
import shlex

from tree import Finding, line_of

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_SHELL = {"sh", "bash", "console"}
_PROGRAM = re.compile(r"hydra_executable\(\s*([\w-]+)")
_REPOSITORY_PATH = re.compile(
    r"^(?:model|server|client|proto|deploy|helm|tests|docs|cmake|\.ci)/[\w./-]*[\w/]$"
)
_SUBCOMMAND = re.compile(r"^[a-z][a-z-]*$")
LINE_CAPS = {"ARCHITECTURE.md": 120, "README.md": 160, "CONTRIBUTING.md": 60}
ADR_LINES = 45


def _anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _anchors(text):
    return {_anchor(match) for match in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def _link_problem(tree, path, target):
    if re.match(r"[a-z]+:", target):
        return None
    file, _, anchor = target.partition("#")
    folder = path.rpartition("/")[0]
    wanted = (
        path
        if not file
        else str((tree.root / folder / file).resolve().relative_to(tree.root.resolve()))
    )
    if not (tree.root / wanted).exists():
        return f"link to {target}: no such file"
    if anchor and anchor not in _anchors(tree.text(wanted)):
        return f"link to {target}: no such heading"
    return None


def _programs(tree):
    return {name for path in tree.cmake() for name in _PROGRAM.findall(tree.text(path))}


def _sources_of(tree, word):
    """Text in which a flag of this command must appear; None when the command is not ours."""
    name = word.rsplit("/", 1)[-1]
    if word in tree.paths:
        return tree.text(word)
    if name in _programs(tree):
        return "\n".join(tree.text(path) for path in tree.cpp() if not path.startswith("tests/"))
    return None


def _command_problems(tree, words):
    word = words[0]
    ours = word.startswith(("deploy/", "tests/", "./", "build/")) or word.startswith("hydra")
    sources = _sources_of(tree, word.removeprefix("./"))
    if sources is None:
        if ours:
            yield f"command {word}: no such script or program"
        return
    for flag in words[1:]:
        name = flag.split("=", 1)[0]
        if name.startswith("--") and not re.search(re.escape(name) + r"(?![\w-])", sources):
            yield f"command {word}: no flag {name}"
        if _REPOSITORY_PATH.match(flag) and not (tree.root / flag).exists():
            yield f"command {word}: no file {flag}"
    if (
        word.rsplit("/", 1)[-1] in _programs(tree)
        and len(words) > 1
        and _SUBCOMMAND.match(words[1])
    ):
        if f'"{words[1]}"' not in sources:
            yield f"command {word}: no subcommand {words[1]}"


def _commands(block):
    """Splits a shell block into commands: joins continued lines, drops comments and prompts."""
    for line in block.replace("\\\n", " ").split("\n"):
        line = re.sub(r"^\$ ", "", line.strip())
        for part in re.split(r"\s(?:\|\||&&|\|)\s|;|\s&$", line):
            words = shlex.split(part, comments=True)
            while words and re.match(r"^\w+=", words[0]):
                words = words[1:]
            if words:
                yield words


def _document_findings(tree, path):
    text = tree.text(path)
    prose = _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
    for match in _LINK.finditer(prose):
        problem = _link_problem(tree, path, match.group(1) or match.group(2))
        if problem:
            yield Finding(path, line_of(prose, match.start()), problem)
    for match in _INLINE.finditer(prose):
        if _REPOSITORY_PATH.match(match.group(1)) and not (tree.root / match.group(1)).exists():
            yield Finding(path, line_of(prose, match.start()), f"{match.group(1)}: no such file")
    for match in _FENCE.finditer(text):
        if match.group(1) in _SHELL:
            for words in _commands(match.group(2)):
                for problem in _command_problems(tree, words):
                    yield Finding(path, line_of(text, match.start()), problem)


def check(tree):
    findings = []
    for path in tree.with_suffix(".md"):
        findings += _document_findings(tree, path)
        cap = ADR_LINES if path.startswith("docs/adr/") else LINE_CAPS.get(path)
        if cap and tree.text(path).count("\n") > cap:
            findings.append(Finding(path, cap, f"longer than {cap} lines"))
    return findings
