"""Start, stop and loss of power: what a server refuses, finishes and remembers."""

import json
import math
import signal
import socket
import subprocess
import time
import unittest

import harness

IMAGES = harness.FASHION / "t10k-images-idx3-ubyte.gz"


def until(condition, what):
    deadline = time.monotonic() + harness.START_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {harness.START_SECONDS} s: {what}")
        time.sleep(0.01)


def without_first_head(head_width):
    """An edit of an output projection [D, kept heads * d_h] that forgets its first head."""

    def edit(raw, shape):
        row = len(raw) // shape[0]
        head = head_width * len(raw) // math.prod(shape)
        rows = (raw[start : start + row] for start in range(0, len(raw), row))
        return b"".join(bytes(head) + one[head:] for one in rows)

    return edit


class DrainTest(harness.EndToEndCase):
    def test_requests_in_flight_at_sigterm_are_answered(self):
        # A batch that waits for companions longer than the test takes to send the signal.
        server = self.server(batching={"max_queue_delay_ms": 3000}).ready()
        command = harness.client_command(server, "predict", "--idx", IMAGES, "--count", 3)
        clients = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(6)
        ]
        until(lambda: server.metric("hydra_queue_requests") == 6, "six requests wait")
        harness.interrupt(server.process)
        for client in clients:
            out, error = client.communicate(timeout=harness.CALL_SECONDS)
            self.assertEqual(client.returncode, 0, error)
            self.assertEqual(len(out.splitlines()), 3)
        self.assertEqual(server.end(), 0)

    def test_load_during_drain_sees_answers_or_unavailable(self):
        server = self.server(drain={"delay_ms": 300}).ready()
        load = subprocess.Popen(
            [
                harness.BIN / "hydra-loadgen",
                "--endpoint",
                server.endpoint,
                "--json",
                "--idx",
                IMAGES,
                "--mode",
                "closed",
                "--concurrency",
                "8",
                "--warm-up",
                "0",
                "--duration",
                "3s",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until(lambda: server.metric("hydra_batch_rows_count") > 10, "load arrives")
        harness.interrupt(server.process)
        out, error = load.communicate(timeout=harness.CALL_SECONDS)
        self.assertEqual(server.end(), 0)
        codes = json.loads(out)["codes"] if out else {}
        self.assertGreater(codes.get("OK", 0), 0, error)
        self.assertEqual(set(codes) - {"OK", "UNAVAILABLE"}, set(), out)

    def test_not_ready_while_draining(self):
        server = self.server(drain={"delay_ms": 2000}).ready()
        harness.interrupt(server.process)
        until(lambda: server.get("/readyz")[0] == 503, "readyz turns")
        self.assertEqual(server.get("/livez")[0], 200)
        self.assertEqual(server.end(), 0)

    def test_second_signal_hurries(self):
        server = self.server(drain={"delay_ms": 60000}).ready()
        harness.interrupt(server.process)
        until(lambda: server.get("/readyz")[0] == 503, "readyz turns")
        harness.interrupt(server.process)
        self.assertEqual(server.process.wait(timeout=20), 0)


class MemoryTest(harness.EndToEndCase):
    def test_kill_keeps_the_policy(self):
        state = self.folder / "state"
        state.mkdir()
        settings = {"policy": {"state_directory": str(state)}}
        server = self.server(**settings).ready()
        server.hydra("threshold", "set", "--threshold", "one_minus_confidence=0.25")
        _, (before,), _ = server.hydra("threshold", "get")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        server.log_path.unlink()
        server = self.server(**settings).ready()
        _, (after,), _ = server.hydra("threshold", "get")
        self.assertEqual(after, before)

    def test_without_state_directory_nothing_is_kept(self):
        server = self.server().ready()
        server.hydra("threshold", "set", "--threshold", "one_minus_confidence=0.25")
        _, (before,), _ = server.hydra("threshold", "get")
        server.stop()
        server.log_path.unlink()
        _, (after,), _ = self.server().ready().hydra("threshold", "get")
        self.assertNotEqual(after["rules"], before["rules"])


class RefusalTest(harness.EndToEndCase):
    def refused(self, bundle):
        server = self.server(bundle)
        self.assertEqual(server.end(), 1)
        return server.log_path.read_text()

    def test_zeroed_head_fails_its_golden_answers_with_numbers(self):
        bundle = self.copy_of_bundle()
        manifest = json.loads((bundle / "manifest.json").read_text())
        head_width = manifest["geometry"]["head_width"]
        weights = bundle / "weights.safetensors"
        projections = [name for name in harness.tensor_names(weights) if "out.weight" in name]
        harness.edit_tensor(weights, projections[-1], without_first_head(head_width))
        harness.write_checksums(bundle)
        log = self.refused(bundle)
        self.assertIn("golden", log)
        self.assertRegex(log, r"\d\.\d|\de-\d")

    def test_flipped_byte_is_refused_by_its_hash(self):
        bundle = self.copy_of_bundle()
        weights = bundle / "weights.safetensors"
        raw = bytearray(weights.read_bytes())
        raw[-1] ^= 1
        weights.write_bytes(raw)
        self.assertIn("weights.safetensors", self.refused(bundle))

    def test_missing_file_is_named(self):
        bundle = self.copy_of_bundle()
        (bundle / "labels.json").unlink()
        self.assertIn("labels.json", self.refused(bundle))

    def test_unknown_key_is_named(self):
        bundle = self.copy_of_bundle()
        manifest = json.loads((bundle / "manifest.json").read_text())
        manifest["surprise"] = 1
        (bundle / "manifest.json").write_text(json.dumps(manifest))
        harness.write_checksums(bundle)
        self.assertIn("surprise", self.refused(bundle))

    def test_no_bundle_is_said(self):
        self.assertIn("nowhere", self.refused(self.folder / "nowhere"))

    def test_port_in_use_is_said(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            server = harness.Server(self.folder)
            self.addCleanup(server.stop)
            server.command += ["--listen", address]
            self.assertEqual(server.start().end(), 1)
            self.assertIn(address, server.log_path.read_text())


if __name__ == "__main__":
    unittest.main()
