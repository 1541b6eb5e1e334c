"""Renders helm/hydra and asks Helm, the Kubernetes schemas and hydra-server whether it is right.

Exit status 77 means skipped: helm is not installed.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "hydra"
EXAMPLES = sorted((CHART / "ci").glob("*-values.yaml"))
DEPS = [ROOT / "build/deps/bin", ROOT / "build/deps/tools/bin", ROOT / "build/deps/ops-venv/bin"]
PATH = os.pathsep.join([*map(str, DEPS), os.environ.get("PATH", "")])
HELM = shutil.which("helm", path=PATH)
SCHEMA_TOOL = shutil.which("kubernetes-validate", path=PATH)
SERVER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release/bin/hydra-server"


def helm(*arguments):
    return subprocess.run([HELM, *map(str, arguments)], capture_output=True, text=True, check=False)


@functools.cache
def render(*arguments):
    return helm("template", "r", CHART, "--kube-version", "1.31.0", *arguments)


def example(name):
    return CHART / "ci" / f"{name}-values.yaml"


def scratch_file():
    return tempfile.NamedTemporaryFile("w", suffix=".yaml")


def server_yaml(manifest):
    """The value of the ConfigMap's server.yaml."""
    block = re.search(r"^  server\.yaml: \|\n((?:    .*\n|\n)+)", manifest, re.MULTILINE)
    return re.sub(r"^    ", "", block.group(1), flags=re.MULTILINE)


def yaml_keys(text):
    """Dotted keys of a two-level YAML file of mappings and scalars."""
    keys, section = set(), ""
    for line in text.splitlines():
        match = re.match(r"( *)([a-z_]+):(.*)", line)
        if match and not match.group(1):
            section = match.group(2)
            if match.group(3).strip():
                keys.add(section)
        elif match:
            keys.add(f"{section}.{match.group(2)}")
    return keys


class ChartTest(unittest.TestCase):
    def test_lint_every_example_is_clean(self):
        for values in EXAMPLES:
            with self.subTest(values.name):
                result = helm("lint", "--strict", "--quiet", CHART, "-f", values)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_render_every_example_fits_the_kubernetes_schemas(self):
        if SCHEMA_TOOL is None:
            self.skipTest("kubernetes-validate is not installed")
        for values in EXAMPLES:
            with self.subTest(values.name), scratch_file() as file:
                file.write(render("-f", values).stdout)
                file.flush()
                result = subprocess.run(
                    [SCHEMA_TOOL, "--strict", file.name],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_accepted(self, path):
        if not SERVER.exists():
            self.skipTest(f"{SERVER} is not built")
        result = subprocess.run(
            [SERVER, "--check-config", "--config", path],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_render_config_is_accepted_by_the_server(self):
        for values in EXAMPLES:
            with self.subTest(values.name), scratch_file() as file:
                file.write(server_yaml(render("-f", values).stdout))
                file.flush()
                self.assert_accepted(file.name)

    def test_image_config_is_accepted_by_the_server(self):
        self.assert_accepted(ROOT / "deploy/config/container.yaml")

    def test_schema_knows_exactly_the_servers_keys(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        sections = schema["properties"]["config"]["properties"]
        known = {f"{name}.{key}" for name, part in sections.items() for key in part["properties"]}
        keys = yaml_keys((ROOT / "deploy/config/server.yaml").read_text())
        owned = {"listen", "admin_listen"} | {
            key for key in keys if key.startswith(("bundle.", "policy.", "security."))
        }
        self.assertEqual(known, keys - owned)

    def test_render_several_replicas_with_a_writable_policy_is_refused(self):
        for change, words in [
            ("policyStore.kind=file", "policyStore.kind: got file with replicaCount 3"),
            ("adminToken.existingSecret=s", "adminToken.existingSecret: got s with replicaCount 3"),
        ]:
            with self.subTest(change):
                result = render("-f", example("replicas"), "--set", change)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(words, result.stderr)

    def test_render_without_a_bundle_or_with_an_unknown_key_is_refused(self):
        self.assertIn("bundle.volume: got nothing", render().stderr)
        for change, words in [
            ("config.queue.max_request=1", "max_request"),
            ("config.listen=x", "listen"),
            ("image.tag=latest", "tag"),
            ("replicas=2", "replicas"),
        ]:
            with self.subTest(change):
                result = render("-f", example("claim"), "--set", change)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(words, result.stderr)

    def test_render_config_change_changes_the_pods_checksum(self):
        def checksum(*arguments):
            manifest = render("-f", example("claim"), *arguments).stdout
            return re.search(r"checksum/config: ([0-9a-f]{64})", manifest).group(1)

        self.assertNotEqual(checksum(), checksum("--set", "config.log.level=debug"))

    def test_render_grace_period_covers_the_drain(self):
        manifest = render("-f", example("claim")).stdout  # 7.5 s + 30 s, rounded up, + 10 s
        self.assertIn("terminationGracePeriodSeconds: 48\n", manifest)

    def test_render_two_names_of_services_even_when_long(self):
        manifest = render("-f", example("claim"), "--set", f"fullnameOverride={'n' * 63}").stdout
        self.assertIn(f"name: {'n' * 54}-headless\n", manifest)
        self.assertIn(f"name: {'n' * 63}\n", manifest)


if __name__ == "__main__":
    if HELM is None:
        print("helm is not installed: skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
