#!/usr/bin/env bash
# A whole training run on one GPU, in at most 8 minutes (H100): data with three to five blocks, a
# decoder of 25 million parameters, SFT, then RFT and CARL side by side from the same start,
# held-out evaluation, table and curves. What takes longer than its share is cut off at its last
# checkpoint and evaluated as it is; after a break the same command goes on.
#
#   rltrain/python/gpu-run.sh OUT             in the repository, after make build
#   rltrain/python/gpu-run.sh OUT --small     the same in small, without a GPU
#   rltrain/python/gpu-run.sh OUT [--small] --pretrained PATH
#                                             SFT and RFT from a language model at hand, by LoRA
#   rltrain/python/gpu-run.sh OUT --set rl.steps=300 --minutes 20
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
[ $# -ge 1 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed 1d >&2; exit 2; }
out=$1
shift

export PLANPROOF_BIN="${PLANPROOF_BIN:-$here/../../planproof}" PYTHONPATH="$here/src${PYTHONPATH:+:$PYTHONPATH}"
[ -x "$PLANPROOF_BIN" ] || { echo "gpu-run: no binary $PLANPROOF_BIN: make build, or set PLANPROOF_BIN" >&2; exit 2; }
python="${PYTHON:-}"
for candidate in python3 python /usr/bin/python3; do
  [ -n "$python" ] || ! "$candidate" -c 'import torch' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "gpu-run: no python with PyTorch: set PYTHON" >&2; exit 2; }

small='' kind=gpu
if [ "${1:-}" = --small ]; then
  shift
  small=-small
else
  "$python" -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else "gpu-run: this PyTorch sees no GPU; --small runs without one")'
  nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null || true
fi
[ "${1:-}" != --pretrained ] || kind=pretrained
preset=(--preset "$kind$small" --minutes 7.8)
status=0
"$python" -W ignore -m planproof.reftrain experiment -o "$out" "${preset[@]}" "$@" || status=$?
cat "$out/timing.json" 2>/dev/null || true
exit "$status"
