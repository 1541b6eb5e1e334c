#!/usr/bin/env bash
# Fetches or builds this crate with a cargo that is new enough, also where HOME is empty.
#
#   cargo.sh check             exit 0 when such a cargo is on PATH
#   cargo.sh fetch             downloads the crates that Cargo.lock names
#   cargo.sh build OUT [JOBS]  builds, and copies the static library to OUT
#
# HYDRA_DEPS_DIR  where results are kept for all build trees (default: build/deps of this checkout)
# CARGO_HOME      where crates are kept; without it and without ~/.cargo, a folder in HYDRA_DEPS_DIR
set -Eeuo pipefail

crate=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
deps=${HYDRA_DEPS_DIR:-$crate/../../../build/deps}
wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$crate/Cargo.toml")

# rustup's cargo looks for its toolchains below HOME; they lie beside the folder that holds it.
if [ -z "${RUSTUP_HOME:-}" ] && shim=$(command -v cargo); then
  toolchains=$(dirname "$(dirname "$(dirname "$shim")")")/.rustup
  if [ -d "$toolchains" ]; then export RUSTUP_HOME=$toolchains; fi
fi
if [ -z "${CARGO_HOME:-}" ] && { [ -z "${HOME:-}" ] || [ ! -d "$HOME/.cargo" ]; }; then
  mkdir -p "$deps/cargo"
  CARGO_HOME=$(cd "$deps/cargo" && pwd)
  export CARGO_HOME
fi

cargo_version() { cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9.]*\).*/\1/p'; }

check() {
  local found
  found=$(cargo_version || true)
  if [ "$(printf '%s\n' "$wanted" "${found:-0}" | sort -V | head -n 1)" != "$wanted" ]; then
    echo "cargo.sh: cargo: got version ${found:-none}, want $wanted or later" >&2
    return 1
  fi
}

# One build at a time: build trees share the target folder, and each copies its own result.  Cargo
# compares times, not contents, so what another checkout built of other sources is dropped first.
build() {
  local out=$1 jobs=${2:-2} target sources
  mkdir -p "$deps/tokenizer_ffi"
  target=$(cd "$deps/tokenizer_ffi" && pwd)
  exec 9>"$target/.lock"
  flock 9
  export CARGO_TARGET_DIR=$target
  sources=$(cat "$crate"/Cargo.* "$crate"/src/*.rs | sha256sum)
  if [ "$(cat "$target/.sources" 2>/dev/null)" != "$sources" ]; then
    rm -f "$target/.sources"
    cargo clean --release --locked --quiet --package hydra_tokenizer_ffi \
      --manifest-path "$crate/Cargo.toml"
  fi
  cargo build --release --locked --quiet --manifest-path "$crate/Cargo.toml" --jobs "$jobs"
  printf '%s\n' "$sources" >"$target/.sources"
  cp "$target/release/libhydra_tokenizer_ffi.a" "$out"
}

check
case ${1:-} in
  check) ;;
  fetch) cargo fetch --locked --quiet --manifest-path "$crate/Cargo.toml" ;;
  build) build "${2:?cargo.sh build wants an output path}" "${3:-2}" ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
