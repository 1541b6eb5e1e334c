#!/usr/bin/env bash
# A recipe over three base seeds, for docs/results.md: about an hour on two cores.
#
#   deploy/recipes/seeds.sh RECIPE OUT_DIR
#
# for deploy/recipes/fashion-mnist-reference.yaml (needs build/demo/digits, which deploy/demo.sh
# makes), deploy/recipes/clinc150.yaml and deploy/recipes/fashion-mnist-zeroshot.yaml (their first
# lines say what they need).  Seed N takes base N
# as its own and the two others as the deep ensemble; each base is trained once.
set -Eeuo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage='usage: deploy/recipes/seeds.sh RECIPE OUT_DIR'
recipe=${1:?$usage}
out=${2:?$usage}
builder=${HYDRA_BUILDER:-$root/build/release/bin/hydra-builder}
mkdir -p "$out"
for seed in 0 1 2; do
  others=$(printf '%s\n' 0 1 2 | grep -v "$seed" | paste -sd, | sed 's/,/, /')
  # The seeds of train, score and finetune; the split's seed is indented deeper and stays.
  sed -e "s/^  seed: 0$/  seed: $seed/" \
    -e "s/deep_ensemble_seeds: .*/deep_ensemble_seeds: [$others]/" \
    -e "s#\.\./\.\./#$root/#" "$recipe" >"$out/seed-$seed.yaml"
  "$builder" build "$out/seed-$seed.yaml" --work "$out/steps" --out "$out/bundle-$seed"
done
python3 "$root/deploy/recipes/results_table.py" "$out"/steps/evaluate-*/evaluation.json
if compgen -G "$out/steps/zeroshot-*/zeroshot.json" >/dev/null; then
  python3 "$root/deploy/recipes/zeroshot_table.py" "$out"/steps/zeroshot-*/zeroshot.json
fi
