# Compiler warnings and sanitizers of every Hydra target; linked PRIVATE by hydra_library and hydra_executable.
add_library(hydra_warnings INTERFACE)
# Designated initialisers leave defaulted members out on purpose; -Wextra would call each of them missing.
target_compile_options(hydra_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlapping copies inside std::string's operator+ that cannot happen (GCC bug 105651).
  target_compile_options(hydra_warnings INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(hydra_warnings INTERFACE -Wthread-safety)
endif()
if(HYDRA_SANITIZER)
  # grpc::StatusCode holds whatever a peer sent; reading it is not our fault, and our switch has a default.
  add_compile_options(-fsanitize=${HYDRA_SANITIZER} -fno-sanitize=enum -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HYDRA_SANITIZER})
endif()
if(HYDRA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
