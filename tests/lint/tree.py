"""The files a check looks at, and the shape of what it finds."""

import dataclasses
import pathlib
import subprocess

CPP_SUFFIXES = (".h", ".cc")
THIRD_PARTY = ("proto/google/", "proto/inference/")  # kept as their authors wrote them

# Folders that neither include nor link LibTorch.
TORCH_FREE = (
    "server/",
    "client/",
    "proto/",
    "model/base/",
    "model/uncertainty/",
    "model/calibration/",
    "model/metrics/",
    "model/interpret/",
    "model/artifact/",
    "model/preprocess/",
    "model/text/",
    "model/data/",
    "model/report/",
    "model/yaml/",
)


@dataclasses.dataclass(frozen=True)
class Finding:
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


class Tree:
    """Text files of one checkout: tracked ones and new ones that git does not ignore."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(path for path in self._list() if (self.root / path).is_file())
        self._texts = {}

    def _list(self):
        listing = subprocess.run(
            ["git", "-C", str(self.root), "ls-files", "-z", "-co", "--exclude-standard"],
            capture_output=True,
            check=False,
        )
        if listing.returncode == 0:
            return [path for path in listing.stdout.decode().split("\0") if path]
        return [
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if not {"build", "node_modules", ".git"} & set(path.parts)
        ]

    def text(self, path):
        """The file's text; empty for binary files."""
        if path not in self._texts:
            raw = (self.root / path).read_bytes()
            self._texts[path] = "" if b"\0" in raw else raw.decode("utf-8", errors="replace")
        return self._texts[path]

    def with_suffix(self, *suffixes):
        return [
            path
            for path in self.paths
            if path.endswith(suffixes) and not path.startswith(THIRD_PARTY)
        ]

    def cpp(self):
        return self.with_suffix(*CPP_SUFFIXES)

    def cmake(self):
        return [
            path
            for path in self.paths
            if path.endswith(".cmake") or path.rsplit("/", 1)[-1] == "CMakeLists.txt"
        ]


def line_of(text, position):
    return text.count("\n", 0, position) + 1
