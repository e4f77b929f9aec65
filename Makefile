# `make help` lists the words. Every word sets up what it needs itself.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
.PHONY: help deps deps-test demo build test test-slow nightly fuzz bench device-bundle asan tsan format format-check tidy layers headers install clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export GOLDENTRACE_DEPS ?= $(CURDIR)/.deps
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

deps:  ## Debian packages and the LibTorch wheel (into GOLDENTRACE_DEPS, default .deps)
	@ci/deps.sh build

deps-test: deps
	@ci/deps.sh test

build: deps  ## the commands, into build/bin
	cmake --preset dev -DGOLDENTRACE_TESTS=OFF
	cmake --build --preset dev

build-test: deps-test
	cmake --preset dev -DGOLDENTRACE_TESTS=ON
	cmake --build --preset dev

demo: build  ## record, find a planted fault, re-run the layer that has it
	@ci/demo.sh build/bin

test: build-test  ## all tests but the slow ones
	ctest --preset dev --parallel $(JOBS)

test-slow: build-test  ## one full-size run, longer fuzzing, the installed package
	ctest --test-dir build --parallel $(JOBS) --output-on-failure --no-tests=error -L slow

nightly: build-test  ## everything, long variants too
	ctest --test-dir build --parallel $(JOBS) --output-on-failure --no-tests=error

fuzz: build-test  ## FUZZ_SECONDS (30) of each fuzzer: trace reader, checkpoint readers, libFuzzer where clang is
	build/tests/fuzz_reader --seconds $${FUZZ_SECONDS:-30}
	build/tests/fuzz_checkpoints --corpus tests/checkpoints/corpus --seconds $${FUZZ_SECONDS:-30}
	ci/fuzz.sh $${FUZZ_SECONDS:-30}

bench: deps-test  ## the table of bench/README.md
	@ci/deps.sh bench
	cmake --preset dev -DGOLDENTRACE_BENCH=ON
	cmake --build --preset dev
	$(GOLDENTRACE_DEPS)/venv/bin/python bench/run.py --build build

device-bundle: build-test  ## build/device-bundle: the device tests and benchmark, to be run by its device.sh where a GPU is
	ci/device_bundle.sh build build/device-bundle

asan: deps-test  ## everything without LibTorch under the address and undefined-behaviour sanitizers
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan --parallel $(JOBS)

tsan: deps-test  ## the same under the thread sanitizer
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan --parallel $(JOBS)

SOURCES = $(shell git ls-files '*.cpp' '*.h' '*.cu')

format:  ## clang-format, in place
	clang-format -i $(SOURCES)

format-check:
	clang-format --dry-run -Werror $(SOURCES)

tidy: build-test  ## clang-tidy over everything
	ci/tidy.sh build $(JOBS)

layers:  ## include directions and layering rules
	python3 ci/check_layers.py

headers: build-test  ## every public header compiles alone
	cmake --preset dev -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON
	cmake --build build --target all_verify_interface_header_sets

install: build  ## into PREFIX (/usr/local)
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-asan build-tsan
