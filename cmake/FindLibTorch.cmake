# Finds LibTorch in the unpacked PyPI wheel (or the official zip) without needing a CUDA toolkit.
#   LIBTORCH_ROOT  folder that holds torch/ (wheel layout: torch/lib, nvidia/cu13/lib), or the zip's own top folder
# Gives the target LibTorch::LibTorch.  The wheel's include folder also carries an old google/protobuf, so it is added
# with -idirafter: as -I or -isystem it would shadow the system's protobuf.
set(LIBTORCH_ROOT "$ENV{LIBTORCH_ROOT}" CACHE PATH "Unpacked torch wheel or LibTorch zip")
if(NOT LIBTORCH_ROOT)
  set(LIBTORCH_ROOT "${PROJECT_SOURCE_DIR}/build/deps/libtorch")
endif()
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h
          PATHS ${LIBTORCH_ROOT}/torch/include ${LIBTORCH_ROOT}/include NO_DEFAULT_PATH)
find_library(LibTorch_CPU torch_cpu PATHS ${LibTorch_INCLUDE_DIR}/../lib NO_DEFAULT_PATH)
find_library(LibTorch_C10 c10 PATHS ${LibTorch_INCLUDE_DIR}/../lib NO_DEFAULT_PATH)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU LibTorch_C10)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibTorch REQUIRED_VARS LibTorch_INCLUDE_DIR LibTorch_CPU LibTorch_C10
  REASON_FAILURE_MESSAGE "looked in LIBTORCH_ROOT=${LIBTORCH_ROOT}, deploy/setup.sh installs it")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  get_filename_component(lib_dir ${LibTorch_CPU} DIRECTORY)
  target_compile_options(LibTorch::LibTorch INTERFACE
    "SHELL:-idirafter ${LibTorch_INCLUDE_DIR}" "SHELL:-idirafter ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  target_link_libraries(LibTorch::LibTorch INTERFACE ${LibTorch_CPU} ${LibTorch_C10} Threads::Threads)
  target_link_options(LibTorch::LibTorch INTERFACE
    -Wl,-rpath,${lib_dir} -Wl,-rpath-link,${lib_dir}/../../nvidia/cu13/lib)
endif()
