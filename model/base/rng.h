// Seeded random numbers that are the same on every platform (the standard distributions are not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hydra::base {

// xoshiro256** seeded through splitmix64 (Blackman & Vigna 2018).  Not thread-safe.
class Rng {
 public:
  explicit Rng(uint64_t seed);

  // A generator for one named purpose, independent of draws made elsewhere with the same seed.
  static Rng ForPurpose(uint64_t seed, std::string_view purpose);

  uint64_t NextBits();
  double Uniform();                   // in [0, 1)
  uint64_t UniformBelow(uint64_t n);  // in [0, n), unbiased; n > 0
  double Normal();                    // mean 0, variance 1 (Box-Muller)
  int Poisson(double mean);           // Knuth's method, for small means
  std::vector<size_t> Permutation(size_t n);

 private:
  uint64_t state_[4];
};

}  // namespace hydra::base
