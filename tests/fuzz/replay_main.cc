// Runs a fuzz target over the files of the given folders, each whole and with seeded mutations: the
// part of fuzzing that a unit test can afford.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "model/base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kMutations = 50;

void Run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// One to four places changed, cut or doubled.
std::string Mutate(std::string bytes, hydra::base::Rng& rng) {
  for (uint64_t change = rng.UniformBelow(4) + 1; change > 0 && !bytes.empty(); --change) {
    const size_t at = rng.UniformBelow(bytes.size());
    switch (rng.UniformBelow(4)) {
      case 0:
        bytes[at] = static_cast<char>(rng.UniformBelow(256));
        break;
      case 1:
        bytes.erase(at, rng.UniformBelow(16));
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, rng.UniformBelow(16)));
        break;
      default:
        bytes.resize(at);
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  hydra::base::Rng rng(1);
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    Run(bytes);
    for (int i = 0; i < kMutations; ++i) Run(Mutate(bytes, rng));
  }
  std::cout << files.size() << " files, " << files.size() * kMutations << " mutations\n";
  return files.empty() ? 1 : 0;
}
