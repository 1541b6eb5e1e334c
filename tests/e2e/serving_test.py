"""A served bundle, asked by the client: answers, abstentions, bad inputs, probes and metrics."""

import math
import struct
import subprocess
import tempfile
import unittest

import harness

IMAGES = harness.FASHION / "t10k-images-idx3-ubyte.gz"


class ServingTest(harness.EndToEndCase):
    """Tests that leave the server as it was share one."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="hydra-e2e-")
        cls.addClassCleanup(scratch.cleanup)
        cls.served = harness.Server(scratch.name)
        cls.addClassCleanup(cls.served.stop)
        cls.served.start().ready()

    def predict(self, *arguments, **options):
        return self.served.hydra("predict", *arguments, **options)

    def test_idx_images_get_consistent_answers(self):
        _, answers, _ = self.predict("--idx", IMAGES, "--count", 20, "--top", 10, "--members")
        self.assertEqual(len(answers), 20)
        for answer in answers:
            self.assert_consistent(answer)

    def assert_consistent(self, answer):
        probabilities = [entry["probability"] for entry in answer["top"]]
        self.assertAlmostEqual(sum(probabilities), 1.0, places=4)
        self.assertEqual(probabilities, sorted(probabilities, reverse=True))
        uncertainty = answer["uncertainty"]
        self.assertAlmostEqual(uncertainty["confidence"], probabilities[0], places=5)
        entropy = -sum(p * math.log(p) for p in probabilities if p > 0)
        self.assertAlmostEqual(uncertainty["total_nats"], entropy, places=3)
        parts = uncertainty["aleatoric_nats"] + uncertainty["epistemic_nats"]
        self.assertAlmostEqual(uncertainty["total_nats"], parts, places=4)
        self.assertGreaterEqual(uncertainty["epistemic_nats"], -1e-6)
        self.assertEqual(len(answer["members"]), answer["members_used"])
        self.assertIn(
            answer["decision"]["outcome"],
            ("DECISION_OUTCOME_PREDICTED", "DECISION_OUTCOME_ABSTAINED"),
        )

    def test_png_equals_the_same_pixels_as_idx(self):
        pixels = harness.fashion_images(3)
        for index, image in enumerate(pixels):
            (self.folder / f"{index}.png").write_bytes(harness.png(28, 28, image))
        _, from_png, _ = self.predict(*(self.folder / f"{index}.png" for index in range(3)))
        _, from_idx, _ = self.predict("--idx", IMAGES, "--count", 3)
        for png, idx in zip(from_png, from_idx):
            self.assertEqual(png["top"][0]["index"], idx["top"][0]["index"])
            self.assertAlmostEqual(
                png["top"][0]["probability"], idx["top"][0]["probability"], places=4
            )

    def test_alone_equals_in_a_batch(self):
        _, together, _ = self.predict("--idx", IMAGES, "--count", 12, "--batch", 12)
        _, alone, _ = self.predict("--idx", IMAGES, "--count", 12, "--batch", 1)
        for one, other in zip(together, alone):
            self.assertEqual(one["decision"]["outcome"], other["decision"]["outcome"])
            self.assertAlmostEqual(
                one["uncertainty"]["total_nats"], other["uncertainty"]["total_nats"], places=4
            )

    def test_bad_images_are_named_and_neighbours_are_answered(self):
        good = harness.png(28, 28, harness.fashion_images(1)[0])
        files = {
            "a_good": good,
            "b_text": b"this is not an image" * 10,
            "c_truncated": good[: len(good) // 2],
            "d_huge": harness.png(28, 28, bytes(784), declared=(60000, 60000)),
            "e_empty": b"",
            "f_good": good,
        }
        for name, body in files.items():
            (self.folder / f"{name}.png").write_bytes(body)
        paths = [self.folder / f"{name}.png" for name in files if name != "e_empty"]
        status, answers, _ = self.predict(*paths, check=False)
        self.assertEqual(status, 4)  # answered in part
        outcomes = ["failed" if "status" in answer else "answered" for answer in answers]
        self.assertEqual(outcomes, ["answered", "failed", "failed", "failed", "answered"])
        for index, answer in enumerate(answers):
            if "status" in answer:
                self.assertEqual(answer["status"]["code"], 3)  # INVALID_ARGUMENT
                self.assertIn(f"instances[{index}]", str(answer["status"]))

    def test_not_a_number_is_refused(self):
        values = self.folder / "values.bin"
        values.write_bytes(struct.pack("<784f", *([0.0] * 783 + [math.nan])))
        status, answers, error = self.predict(
            "--tensors", values, "--shape", "1,28,28", check=False
        )
        self.assertNotEqual(status, 0)
        self.assertIn("instances[0]", str(answers) + error)

    def test_wrong_shape_is_refused(self):
        values = self.folder / "values.bin"
        values.write_bytes(bytes(4 * 27 * 27))
        status, answers, error = self.predict(
            "--tensors", values, "--shape", "1,27,27", check=False
        )
        self.assertNotEqual(status, 0)
        self.assertIn("instances[0]", str(answers) + error)

    def test_probes_and_metrics_tell_the_state(self):
        for path in ("/livez", "/readyz", "/version"):
            self.assertEqual(self.served.get(path)[0], 200, path)
        before = self.served.get("/metrics")[1]
        self.predict("--idx", IMAGES, "--count", 5)
        self.assertNotEqual(before, self.served.get("/metrics")[1])
        self.assertEqual(self.served.get("/none")[0], 404)

    def test_head_map_and_model_name_the_members(self):
        _, (model,), _ = self.served.hydra("model")
        self.assertEqual(self.served.get("/version")[0], 200)
        self.assertIn("bundle_digest", str(model))
        _, (head_map,), _ = self.served.hydra("headmap")
        self.assertEqual(len(head_map["clustering"]["representatives"]), 3)
        self.assertEqual(head_map["effect_basis"]["inputs"], 128)
        for layer in head_map["layers"]:
            for facts in layer["heads"]:
                self.assertIn(facts["cluster"], range(3))
                self.assertIn("nll_change_nats", facts["effect"])
        status, _, _ = self.served.hydra("status")
        self.assertEqual(status, 0)


class ExplainTest(harness.EndToEndCase):
    def setUp(self):
        super().setUp()
        self.served = self.server().ready()
        self.image = self.folder / "image.png"
        self.image.write_bytes(harness.png(28, 28, harness.fashion_images(1)[0]))
        _, (self.head_map,), _ = self.served.hydra("headmap")

    def explain(self, *arguments, **options):
        return self.served.hydra("explain", self.image, *arguments, **options)

    def test_kept_heads_of_each_member_have_maps(self):
        for layer in self.head_map["layers"]:
            for member in layer["members"]:
                heads = ",".join(map(str, member["kept"]))
                where = ("--layer", layer["layer"], "--member", member["member"])
                _, (answer,), _ = self.explain(*where, "--head", heads)
                for explanation in answer["explanations"]:
                    self.assert_map(explanation)

    def assert_map(self, explanation):
        self.assertEqual((explanation["rows"], explanation["columns"]), (4, 4))
        self.assertEqual(explanation["tokens"], 17)
        self.assertEqual(len(explanation["coordinates"]), 17 * 3)
        for channel in range(3):
            colours = explanation["values"][channel::3]
            self.assertEqual((min(colours), max(colours)), (0, 1))
            column = explanation["coordinates"][channel::3]
            self.assertAlmostEqual(sum(x * x for x in column), 1.0, places=9)
            self.assertGreater(max(column, key=abs), 0)
        eigenvalues = explanation["eigenvalues"]
        self.assertEqual(eigenvalues, sorted(eigenvalues))
        self.assertAlmostEqual(eigenvalues[0], 0.0, places=6)
        self.assertLessEqual(eigenvalues[-1], 2.0)

    def test_maps_are_written_as_png(self):
        kept = self.head_map["layers"][0]["members"][0]["kept"]
        out = self.folder / "map.png"
        self.explain("--layer", 0, "--head", kept[0], "--out", out)
        self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", out.read_bytes()[16:24])
        self.assertEqual((width, height), (224, 224))

    def test_removed_and_unknown_heads_are_refused_by_name(self):
        layer = self.head_map["layers"][1]
        kept = layer["members"][0]["kept"]
        removed = next(head for head in range(4) if head not in kept)
        status, _, error = self.explain("--layer", 1, "--head", removed, check=False)
        self.assertEqual(status, 2)
        self.assertIn("HEAD_REMOVED", error)
        self.assertIn("heads[0].head", error)
        status, _, error = self.explain("--layer", 7, "--head", 0, check=False)
        self.assertEqual(status, 2)
        self.assertIn("heads[0].layer", error)


class PolicyTest(harness.EndToEndCase):
    def setUp(self):
        super().setUp()
        self.served = self.server().ready()

    def predict(self, *arguments, **options):
        return self.served.hydra("predict", *arguments, **options)

    def test_threshold_decides_and_rollback_undoes(self):
        rule = "one_minus_confidence={}"
        self.served.hydra("threshold", "set", "--threshold", rule.format(0))
        status, answers, _ = self.predict("--idx", IMAGES, "--count", 8, "--withhold")
        self.assertEqual(status, 0)  # an abstention is an answer
        for answer in answers:
            self.assertEqual(answer["decision"]["outcome"], "DECISION_OUTCOME_ABSTAINED")
            self.assertEqual(answer["decision"]["reason"], "ABSTENTION_REASON_LOW_CONFIDENCE")
            self.assertEqual(answer["top"], [])
        self.served.hydra("threshold", "set", "--threshold", rule.format(1))
        _, answers, _ = self.predict("--idx", IMAGES, "--count", 8)
        for answer in answers:
            self.assertEqual(answer["decision"]["outcome"], "DECISION_OUTCOME_PREDICTED")
        self.served.hydra("threshold", "rollback")
        _, answers, _ = self.predict("--idx", IMAGES, "--count", 1)
        self.assertEqual(answers[0]["decision"]["outcome"], "DECISION_OUTCOME_ABSTAINED")

    def test_hand_made_threshold_voids_the_certificate(self):
        _, (change,), _ = self.served.hydra("threshold", "set", "--threshold", "total_entropy=0.3")
        self.assertEqual(change["policy"]["certificate"]["state"], "CERTIFICATE_STATE_VOID")

    def test_stale_etag_is_refused(self):
        _, (before,), _ = self.served.hydra("threshold", "get")
        self.served.hydra("threshold", "set", "--threshold", "total_entropy=0.3")
        status, _, error = self.served.hydra(
            "threshold",
            "set",
            "--threshold",
            "total_entropy=0.4",
            "--etag",
            before["etag"],
            check=False,
        )
        self.assertEqual(status, 2, error)

    def test_policy_change_without_token_is_refused(self):
        done = subprocess.run(
            [
                harness.BIN / "hydra",
                "--json",
                "--endpoint",
                self.served.endpoint,
                "threshold",
                "set",
                "--threshold",
                "total_entropy=0.3",
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("UNAUTHENTICATED", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
