"""Texts through the real programs: train, build, serve and ask about a small intent set."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness
import tiny_text

RECIPE = pathlib.Path(__file__).with_name("tiny_text.yaml")


def builder(*arguments):
    return subprocess.run(
        [harness.BIN / "hydra-builder", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class TextTest(harness.EndToEndCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="hydra-text-")
        cls.addClassCleanup(scratch.cleanup)
        cls.data = pathlib.Path(scratch.name)
        tiny_text.make(cls.data)
        shutil.copy(RECIPE, cls.data / "recipe.yaml")
        done = builder(
            "build",
            cls.data / "recipe.yaml",
            "--work",
            cls.data / "work",
            "--out",
            cls.data / "bundle",
        )
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.served = harness.Server(scratch.name, cls.data / "bundle")
        cls.addClassCleanup(cls.served.stop)
        cls.served.start().ready()

    def predict_file(self, texts, *arguments):
        path = self.folder / "texts.txt"
        path.write_text("".join(f"{text}\n" for text in texts))
        _, answers, _ = self.served.hydra("predict", "--text-file", path, *arguments)
        self.assertEqual(len(answers), len(texts))
        return answers

    @staticmethod
    def abstained(answers):
        outcomes = [answer["decision"]["outcome"] for answer in answers]
        return outcomes.count("DECISION_OUTCOME_ABSTAINED") / len(outcomes)

    def test_queries_get_their_intents_and_strange_ones_are_abstained(self):
        test = rows_of(self.data / "test.jsonl")[:120]
        asked = [row["text"] for row in test]
        answers = self.predict_file(asked)
        right = [
            answer["top"][0]["label"] == row["label"] for row, answer in zip(test, answers)
        ]
        self.assertGreater(sum(right) / len(right), 0.8)  # 6 % of the labels are wrong on purpose
        strange = [row["text"] for row in rows_of(self.data / "out_of_scope.jsonl")[:60]]
        ordinary = self.abstained(self.predict_file(asked))
        self.assertGreater(self.abstained(self.predict_file(strange)), 2 * ordinary)

    def test_alone_equals_in_a_batch_of_other_lengths(self):
        texts = ["wake me up", "x", "", "please show my balance in the kitchen tomorrow thanks so"]
        together = self.predict_file(texts, "--batch", 4)
        alone = self.predict_file(texts, "--batch", 1)
        for one, other in zip(together, alone):
            self.assertEqual(one["top"][0]["index"], other["top"][0]["index"])
            self.assertAlmostEqual(
                one["uncertainty"]["total_nats"], other["uncertainty"]["total_nats"], places=5
            )

    def test_cut_text_is_answered_and_says_so(self):
        _, (short, long), _ = self.served.hydra(
            "predict", "--text", "play a song", "--text", "play a song " * 20
        )
        self.assertEqual(short.get("truncated_tokens", 0), 0)
        self.assertEqual(long["truncated_tokens"], 3 * 20 - 14)  # 16 tokens, two of them special

    def test_heads_of_a_text_are_explained_token_by_token(self):
        _, (head_map,), _ = self.served.hydra("headmap")
        head = head_map["layers"][0]["members"][0]["kept"][0]
        where = ("--layer", 0, "--head", head)
        text = "play some music now"
        _, (answer,), _ = self.served.hydra("explain", "--text", text, *where)
        (explanation,) = answer["explanations"]
        self.assertEqual(explanation["rows"], 1)
        self.assertEqual(explanation["columns"], explanation["tokens"] - 2)
        self.assertEqual(len(explanation["values"]), 3 * explanation["columns"])
        status, _, error = self.served.hydra("explain", "--text", "", *where, check=False)
        self.assertEqual(status, 2)
        self.assertIn("TOO_FEW_TOKENS", error)

    def test_invalid_utf8_is_refused_by_its_offset(self):
        path = self.folder / "bad.txt"
        path.write_bytes(b"play \xff song\n")
        status, _, error = self.served.hydra("predict", "--text-file", path, check=False)
        self.assertNotEqual(status, 0)
        self.assertIn("UTF-8", error)

    def test_image_is_refused(self):
        path = self.folder / "image.png"
        path.write_bytes(harness.png(8, 8, bytes(64)))
        status, lines, error = self.served.hydra("predict", path, check=False)
        self.assertNotEqual(status, 0)
        self.assertIn("takes text, not images", json.dumps(lines) + error)

    def test_wrapped_checkpoint_is_served_with_one_member(self):
        (checkpoint,) = (path for path in (self.data / "work").glob("train-*") if not path.suffix)
        done = builder(
            "wrap",
            "--checkpoint",
            checkpoint,
            "--data",
            f"jsonl:{self.data / 'pool.jsonl'}",
            "--out",
            self.folder / "wrapped",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        served = self.server(self.folder / "wrapped").ready()
        _, (answer,), _ = served.hydra("predict", "--text", "will it rain tomorrow")
        self.assertEqual(answer["members_used"], 1)
        self.assertEqual(answer["top"][0]["label"], "weather")


if __name__ == "__main__":
    unittest.main()
