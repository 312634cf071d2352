#!/bin/sh
# gpu-check.sh: the cross-encoder and the embedder on CUDA against the processor. It takes a few minutes
# on a machine with an NVIDIA GPU, says SKIP and succeeds on one without, and fetches the models into
# $ASOF_MODELS where they are not there and a package client can.
set -eu
cd "$(dirname "$0")/../.."

if ! [ -e /proc/driver/nvidia/version ] && ! command -v nvidia-smi >/dev/null 2>&1; then
	echo "SKIP: this machine has no NVIDIA GPU (no driver, no nvidia-smi)"
	exit 0
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || true

from=
[ -d ../shared/models ] && from="--from ../shared/models"
# shellcheck disable=SC2086 # $from is two words or none.
go run ./cmd/asof models pull onnxruntime-cuda all-minilm-l6-v2 ce-minilm-lme $from ||
	echo "note: not all models could be fetched; what is missing is named below"
out=$(ASOF_GPU_CHECK=1 go test -count=1 -timeout 8m -run '^TestGPU$' -v ./internal/onnx/head 2>&1) || { echo "$out"; exit 1; }
echo "$out"
case $out in
*"--- SKIP"*) echo "FAILED: there is a GPU, and the check was skipped"; exit 1 ;;
esac
