#include "model/base/rng.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "model/base/check.h"

namespace hydra::base {
namespace {

uint64_t SplitMix64(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(uint64_t seed) {
  for (uint64_t& word : state_) word = SplitMix64(seed);
}

Rng Rng::ForPurpose(uint64_t seed, std::string_view purpose) {
  uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return Rng(seed ^ hash);
}

uint64_t Rng::NextBits() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::Uniform() { return static_cast<double>(NextBits() >> 11) * 0x1.0p-53; }

uint64_t Rng::UniformBelow(uint64_t n) {
  HYDRA_CHECK(n > 0);
  const uint64_t limit = (UINT64_MAX - n + 1) % n;  // 2^64 mod n: draws below it would be biased
  uint64_t bits = NextBits();
  while (bits < limit) bits = NextBits();
  return bits % n;
}

double Rng::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

int Rng::Poisson(double mean) {
  const double floor = std::exp(-mean);
  int count = 0;
  for (double product = Uniform(); product > floor; product *= Uniform()) ++count;
  return count;
}

std::vector<size_t> Rng::Permutation(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[UniformBelow(i)]);
  return order;
}

}  // namespace hydra::base
