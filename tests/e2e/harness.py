"""Starts real programs for end-to-end tests.  Standard library only.

HYDRA_BIN names the folder of the programs, HYDRA_BUNDLE the bundle that the tests serve.
"""

import gzip
import hashlib
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from grey_png import png  # noqa: F401, tests say harness.png

BIN = pathlib.Path(os.environ["HYDRA_BIN"])
BUNDLE = pathlib.Path(os.environ["HYDRA_BUNDLE"])
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
TOKEN = "end-to-end-token-0123456789abcdef"
# Generous: the machine may be busy with other tests.
START_SECONDS = 240
CALL_SECONDS = 120


class Server:
    """One hydra-server on free loopback ports; `folder` holds its configuration and log."""

    def __init__(self, folder, bundle=BUNDLE, **settings):
        self.folder = pathlib.Path(folder)
        self.log_path = self.folder / "server.log"
        token = self.folder / "token"
        token.write_text(TOKEN)
        sections = {
            "log": {"format": "json"},
            "drain": {"delay_ms": 0},
            "lanes": {"threads_per_lane": 1},
            "security": {"admin_token_file": str(token)},
        }
        for section, values in settings.items():
            sections.setdefault(section, {}).update(values)
        # JSON is YAML.
        config = self.folder / "server.yaml"
        config.write_text(json.dumps(sections))
        self.token_file = token
        self.command = [BIN / "hydra-server", "--config", config, "--bundle", bundle]
        self.command += ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]
        self.process = None

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        return self

    def events(self):
        lines = self.log_path.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def wait_for(self, event):
        """The first log record with that event since the start of the log file."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            for record in self.events():
                if record["event"] == event:
                    return record
            if self.process.poll() is not None:
                raise AssertionError(f"server ended:\n{self.log_path.read_text()}")
            time.sleep(0.02)
        raise AssertionError(f"no event {event} in {START_SECONDS} s:\n{self.log_path.read_text()}")

    def ready(self):
        record = self.wait_for("ready")
        self.endpoint = f"127.0.0.1:{record['grpc_port']}"
        self.admin = f"http://127.0.0.1:{record['admin_port']}"
        return self

    def get(self, path):
        """(status, body) of the admin port."""
        try:
            with urllib.request.urlopen(self.admin + path, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name):
        """The value of an unlabelled metric, or the sum over its labels."""
        values = [
            float(line.rsplit(" ", 1)[1])
            for line in self.get("/metrics")[1].splitlines()
            if line.startswith((name + " ", name + "{"))
        ]
        if not values:
            raise AssertionError(f"no metric {name}")
        return sum(values)

    def hydra(self, *arguments, check=True):
        """Runs the client; (exit status, JSON lines, error text)."""
        done = subprocess.run(
            client_command(self, *arguments),
            capture_output=True,
            text=True,
            timeout=CALL_SECONDS,
            check=False,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return done.returncode, lines, done.stderr

    def end(self):
        """Waits for the process to end by itself; its exit status."""
        return self.process.wait(timeout=START_SECONDS)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def client_command(server, *arguments):
    return [
        BIN / "hydra",
        "--json",
        "--endpoint",
        server.endpoint,
        "--token-file",
        server.token_file,
        *map(str, arguments),
    ]


class EndToEndCase(unittest.TestCase):
    """A scratch folder, and servers that are gone when the test ends."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hydra-e2e-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def server(self, bundle=BUNDLE, **settings):
        server = Server(self.folder, bundle, **settings)
        self.addCleanup(server.stop)
        return server.start()

    def copy_of_bundle(self):
        copy = self.folder / "bundle"
        shutil.copytree(BUNDLE, copy)
        return copy


def write_checksums(bundle):
    """Signs a changed bundle anew, as somebody with write access could."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}\n"
        for path in sorted(bundle.rglob("*"), key=lambda path: str(path.relative_to(bundle)))
        if path.is_file() and not path.name.startswith("SHA256SUMS")
    ]
    (bundle / "SHA256SUMS").write_text("".join(lines))


def edit_tensor(path, name, edit):
    """Replaces a tensor's bytes in a safetensors file by edit(bytes, shape)."""
    raw = bytearray(path.read_bytes())
    (length,) = struct.unpack_from("<Q", raw)
    entry = json.loads(raw[8 : 8 + length])[name]
    begin, end = (8 + length + offset for offset in entry["data_offsets"])
    raw[begin:end] = edit(bytes(raw[begin:end]), entry["shape"])
    path.write_bytes(raw)


def tensor_names(path):
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    return sorted(name for name in json.loads(raw[8 : 8 + length]) if name != "__metadata__")


def fashion_images(count, skip=0):
    """Test images of Fashion-MNIST, 784 bytes each."""
    with gzip.open(FASHION / "t10k-images-idx3-ubyte.gz") as file:
        file.seek(16 + 784 * skip)
        return [file.read(784) for _ in range(count)]


def interrupt(process):
    process.send_signal(signal.SIGTERM)
