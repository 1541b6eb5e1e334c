// Writes the tiny bundle of format version 1.  The committed copy, tests/golden/bundle_v1, is never
// rewritten: it stands for the bundles that are already out there.
#include <iostream>

#include "tests/golden/tiny_bundle.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_bundle_v1 DIRECTORY\n";
    return 2;
  }
  const auto digest = hydra::artifact::WriteBundle(hydra::golden::TinyBundle(), argv[1]);
  if (!digest.ok()) {
    std::cerr << digest.status() << "\n";
    return 1;
  }
  std::cout << *digest << "\n";
  return 0;
}
