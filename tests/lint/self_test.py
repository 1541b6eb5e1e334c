"""Every rule fires on a tree that breaks it and stays silent on the same tree without the fault."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import build_rules
import cpp_scan
import docs
import layers
import sizes
import tools
import words
from tree import Tree

LINT = pathlib.Path(__file__).with_name("lint.py")


class TreeCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def tree(self, files):
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return Tree(self.root)

    def findings(self, check, path, text):
        """What the check says of a tree to which this one file is added, and removed again."""
        found = [str(finding) for finding in check(self.tree({path: text}))]
        (self.root / path).unlink()
        return found

    def assert_fires(self, check, path, text, fragment):
        found = self.findings(check, path, text)
        self.assertTrue(any(fragment in finding for finding in found), (fragment, found))

    def assert_silent(self, check, path, text):
        self.assertEqual(self.findings(check, path, text), [])


class LayersTest(TreeCase):
    def test_table_has_no_cycle(self):
        left = {folder: set(allowed) for folder, allowed in layers.ALLOWED.items()}
        while left:
            free = [folder for folder, allowed in left.items() if not allowed & left.keys()]
            self.assertTrue(free, f"cycle among {sorted(left)}")
            for folder in free:
                del left[folder]

    def test_edges_outside_the_table_fire(self):
        for path, included in (
            ("client/cli/predict.cc", "server/batching/batcher.h"),
            ("server/batching/batcher.cc", "server/rpc/predict_handler.h"),
            ("server/rpc/predict_handler.cc", "model/runtime/merged_predictor.h"),
            ("server/rpc/predict_handler.cc", "model/nn/linear.h"),
            ("model/nn/linear.cc", "model/builder/recipe.h"),
            ("model/uncertainty/split.cc", "model/artifact/bundle.h"),
            ("model/base/file.cc", "hydra/v1/model.pb.h"),
        ):
            self.assert_fires(layers.check, path, f'#include "{included}"\n', "must not include")

    def test_edges_of_the_table_are_silent(self):
        for path, included in (
            ("server/rpc/predict_handler.cc", "server/batching/batcher.h"),
            ("server/batching/batcher.cc", "model/runtime/predictor.h"),
            ("model/uncertainty/certificate.cc", "model/artifact/calibration.h"),
            ("model/builder/pack.cc", "model/train/trainer.h"),
            ("client/cli/predict.cc", "hydra/v1/prediction.pb.h"),
        ):
            self.assert_silent(layers.check, path, f'#include "{included}"\n')

    def test_folder_without_a_row_fires(self):
        text = '#include "model/base/file.h"\n'
        self.assert_fires(layers.check, "model/extra/extra.cc", text, "has no row")

    def test_third_party_headers_in_the_wrong_folder_fire(self):
        for path, included in (
            ("model/runtime/engine.cc", "google/protobuf/message.h"),
            ("model/nn/linear.cc", "grpcpp/grpcpp.h"),
            ("server/rpc/predict_handler.cc", "torch/torch.h"),
            ("model/artifact/bundle.cc", "ATen/ATen.h"),
            ("server/batching/batcher.cc", "grpcpp/server_context.h"),
        ):
            self.assert_fires(layers.check, path, f"#include <{included}>\n", included)

    def test_commented_include_is_silent(self):
        self.assert_silent(layers.check, "model/nn/linear.cc", "// #include <grpcpp/grpcpp.h>\n")


class SizesTest(TreeCase):
    def test_long_files_fire(self):
        for path, cap in (("model/a/b.h", 300), ("model/a/b.cc", 400), ("server/main.cc", 120)):
            self.assert_silent(sizes.check, path, "\n" * cap)
            self.assert_fires(sizes.check, path, "\n" * (cap + 1), "cap is")

    def test_long_function_fires(self):
        body = "  x();\n"
        for header in ("void F() {\n", "F::F(int a) : a_{a}, b_(a) {\n", "TEST(A, B) {\n"):
            text = "namespace a {\n" + header
            self.assert_silent(sizes.check, "a.cc", text + body * 58 + "}\n}\n")
            self.assert_fires(sizes.check, "a.cc", text + body * 59 + "}\n}\n", "61 lines")

    def test_six_parameters_fire(self):
        for text in (
            "int F(int a, int b, int c, int d, int e, int f);\n",
            "struct S {\n  S(int a, int b, int c, int d, int e, int f) {}\n};\n",
            "class S {\n public:\n  S(int, int, int, int, std::map<int, int>, int);\n};\n",
        ):
            self.assert_fires(sizes.check, "a.h", text, "6 parameters")

    def test_five_parameters_are_silent(self):
        for text in (
            "std::map<int, int> F(std::map<int, int> a, int b, int c, int d, int e);\n",
            "int operator()(int a, std::function<void(int, int)> b, int c, int d, int e) const;\n",
            "template <int a, int b, int c, int d, int e, int f>\nvoid F(int a);\n",
            "std::function<void(int, int, int, int, int, int)> f;\n",
        ):
            self.assert_silent(sizes.check, "a.h", text)

    def test_deep_nesting_fires(self):
        three = "void F() {\n  for (;;) { while (a) { if (b) {%s} } }\n}\n"
        self.assert_silent(sizes.check, "a.cc", three % "")
        self.assert_silent(sizes.check, "a.cc", three % "auto c = [] { return D{}; };")
        self.assert_fires(sizes.check, "a.cc", three % " else_(); if (c) { } ", "nested 4 deep")

    def test_crowded_folder_fires(self):
        files = {f"model/a/f{index}.cc": "\n" for index in range(21)}
        self.assertEqual(len(sizes.check(self.tree(files))), 1)

    def test_long_line_fires(self):
        self.assert_silent(sizes.check, "a.cc", "x" * 100)
        self.assert_fires(sizes.check, "a.cc", "x" * 101, "101 columns")


class ScanTest(unittest.TestCase):
    def test_literals_and_comments_do_not_count_as_code(self):
        text = 'void F() {\n  auto a = R"({{{)"; auto b = "}"; char c = \'{\'; // {\n  /* { */\n}\n'
        self.assertEqual([(f.name, f.lines) for f in cpp_scan.functions(text)], [("F", 4)])

    def test_digit_separators_are_not_characters(self):
        text = "constexpr int kA = 1'000;\nvoid F() { G(2'000); }\n"
        self.assertEqual([f.name for f in cpp_scan.functions(text)], ["F"])


class WordsTest(TreeCase):
    def test_names_fire(self):
        for path in (
            "model/a/string_utils.h",
            "server/common/a.cc",
            "model/a/split_v2.cc",
            "model/a/data.h",
        ):
            self.assert_fires(words.check, path, "", "says nothing")

    def test_design_names_are_silent(self):
        for path in ("model/data/idx_reader.h", "proto/hydra/v1/model.proto"):
            self.assert_silent(words.check, path, "")

    def test_code_outside_its_seam_fires(self):
        for text in (
            "try { F(); } catch (...) {}\n",
            'auto a = std::getenv("HOME");\n',
            "std::this_thread::sleep_for(a);\n",
            "volatile int a;\n",
            "std::thread([] {}).detach();\n",
            "class QueueManager;\n",
            "int PredictOld(); int predict_old();\n",
            "int LegacyPredict();\n",
        ):
            self.assert_fires(words.check, "server/batching/a.cc", text, "server/batching/a.cc:1")

    def test_code_in_its_seam_is_silent(self):
        self.assert_silent(words.check, "model/nn/catch_torch.cc", "try { F(); } catch (...) {}\n")
        self.assert_silent(words.check, "server/main.cc", 'auto a = std::getenv("HOME");\n')
        self.assert_silent(words.check, "server/a.cc", "volatile std::sig_atomic_t stop = 0;\n")
        self.assert_silent(words.check, "server/b.cc", "// volatile words may stand in a comment\n")

    def test_source_lines_of_cargo_lock_are_silent(self):
        host = "crates." + "io"
        self.assert_silent(words.check, "a/Cargo.lock", f'source = "registry+https://{host}"\n')
        self.assert_fires(words.check, "a/Cargo.lock", f"# {host}\n", "a/Cargo.lock:1")

    def test_text_that_must_not_be_there_fires(self):
        for text in (
            "/wor" + "k/shared",
            "registry." + "npmjs.org",
            "TO" + "DO: later",
            "place" + "holder",
        ):
            self.assert_fires(words.check, "docs/a.md", text + "\n", "docs/a.md:1")


class BuildRulesTest(TreeCase):
    def test_forbidden_commands_fire(self):
        for text in (
            "file(GLOB sources *.cc)\n",
            "link_libraries(a)\n",
            "include_directories(a)\n",
            "include(FetchContent)\n",
        ):
            self.assert_fires(build_rules.check, "model/a/CMakeLists.txt", text, "CMakeLists.txt:1")

    def test_target_commands_and_comments_are_silent(self):
        text = (
            "target_link_libraries(a b)  # no link_libraries(a)\ntarget_include_directories(a b)\n"
        )
        self.assert_silent(build_rules.check, "model/a/CMakeLists.txt", text)

    def test_torch_in_a_torch_free_folder_fires(self):
        text = "hydra_library(a TORCH HEADERS a.h)\n"
        self.assert_fires(build_rules.check, "server/a/CMakeLists.txt", text, "torch stays out")
        self.assert_silent(build_rules.check, "model/nn/CMakeLists.txt", text)

    def test_long_root_fires(self):
        self.assert_fires(build_rules.check, "CMakeLists.txt", "\n" * 80, "fewer than 80")


class DocsTest(TreeCase):
    def setUp(self):
        super().setUp()
        self.tree(
            {
                "tests/run.sh": "case $1 in --quick) ;; esac\n",
                "client/cli/CMakeLists.txt": "hydra_executable(hydra SOURCES main.cc)\n",
                "client/cli/main.cc": 'app.add_subcommand("predict"); app.add_option("--json");\n',
                "docs/results.md": "# Results so far\n",
            }
        )

    def test_wrong_links_fire(self):
        for link in ("docs/none.md", "docs/results.md#none", "#none"):
            self.assert_fires(docs.check, "README.md", f"see [it]({link})\n", "link to")

    def test_right_links_are_silent(self):
        text = "# Top\n[a](docs/results.md#results-so-far) [b](#top) [c](https://example.org)\n"
        self.assert_silent(docs.check, "README.md", text)

    def test_wrong_commands_fire(self):
        for command in (
            "tests/none.sh",
            "tests/run.sh --fast",
            "hydra predict --yaml",
            "hydra foretell --json",
            "build/release/bin/hydra-none",
            "hydra predict docs/none.png",
        ):
            self.assert_fires(docs.check, "README.md", f"```sh\n{command}\n```\n", "command")

    def test_right_commands_are_silent(self):
        text = "$ tests/run.sh --quick  # all\nA=1 build/release/bin/hydra predict \\\n  --json\n"
        self.assert_silent(docs.check, "README.md", f"```sh\n{text}```\n")

    def test_long_record_fires(self):
        self.assert_fires(docs.check, "docs/adr/0001-a.md", "\n" * 46, "longer than")


class ToolsTest(TreeCase):
    def test_missing_tool_is_skipped_not_passed(self):
        with self.assertRaises(tools.Skipped):
            tools._run(self.tree({}), "no-such-tool", [], [])

    def test_findings_of_a_tool_are_passed_on(self):
        self.assertEqual(len(tools._run(self.tree({}), "ls", [], ["none"])), 1)

    def test_exit_status_tells_clean_from_broken(self):
        for text, status in (("int a;\n", 0), ("volatile int a;\n", 1)):
            self.tree({"model/a/a.cc": text})
            done = subprocess.run([sys.executable, LINT, "words", self.root], capture_output=True)
            self.assertEqual(done.returncode, status, done.stdout)


if __name__ == "__main__":
    unittest.main()
