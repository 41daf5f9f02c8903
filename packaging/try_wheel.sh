#!/usr/bin/env bash
# Installs a wheel into an empty environment and uses it there: no compiler on the path, no PyTorch, no source tree.
# usage: packaging/try_wheel.sh WHEEL [PYTHON]
set -euo pipefail
wheel=$(realpath "$1") python=${2:-python3}
here=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
remove=$(command -v rm)
trap '"$remove" -rf "$work"' EXIT

"$python" -m venv "$work/environment"
started=$SECONDS
PIP_CONSTRAINT=$here/constraints.txt "$work/environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$wheel"
installed=$SECONDS
cp "$here"/tests/data/blocks4-v1.goalward "$here"/tests/data/blocks4-v1/p1.pddl "$work"
cd "$work"

# From here on, nothing is found but the environment and these programs.
mkdir tools && for tool in cat du env head sort; do ln -s "$(command -v $tool)" tools/; done
export PATH=$work/environment/bin:$work/tools
unset PYTHONPATH PYTHONHOME
for compiler in cc c++ gcc g++ clang cmake ninja; do
  if command -v "$compiler" >/dev/null; then echo "$compiler is on the path" >&2; exit 1; fi
done
if python -c 'import torch' 2>/dev/null; then echo "PyTorch is installed" >&2; exit 1; fi

TIMEFORMAT='  %U s user, %R s in all'
try() { printf '$ %s\n' "$*"; time "$@" >output 2>&1 || { cat output >&2; exit 1; }; }
try goalward --version
try goalward --help
try goalward generate delivery --size 4 -o delivery
try goalward plan delivery/domain.pddl delivery/problem.pddl -o plan
try goalward validate delivery/domain.pddl delivery/problem.pddl plan
try goalward improve delivery/domain.pddl delivery/problem.pddl plan -o better --time-limit 3s
try goalward inspect blocks4-v1.goalward
try goalward solve blocks4-v1.goalward p1.pddl
try python -c 'from goalward import load_model; assert load_model("blocks4-v1.goalward").solve("p1.pddl").plan'
printf '$ goalward train\n'
if goalward train delivery/domain.pddl delivery/problem.pddl -o model.goalward 2>output; then echo "trained without PyTorch" >&2; exit 1; fi
cat output
echo "The environment in MB (all of it, without pip's part, and its largest packages):"
du -sm environment
du -sm --exclude='*/site-packages/pip' --exclude='*/site-packages/setuptools' --exclude='*/site-packages/pkg_resources' environment
du -sm environment/lib/python*/site-packages/* | sort -rn | head -6
echo "installed in $((installed - started)) s"
