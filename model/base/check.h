// Broken invariants end the process; nothing that a request, a peer or a file can trigger may use
// this.
#pragma once

#include <cstdio>
#include <cstdlib>

#define HYDRA_CHECK(condition)                                                               \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
