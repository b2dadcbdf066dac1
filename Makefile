# Thin front of CMake: `make help` lists what there is. Everything is built in build/.

PREFIX ?= /usr/local
.NOTPARALLEL:
.DEFAULT_GOAL := build
.PHONY: help setup build demo test test-all install bench pictures format clean

# no colours and no cursor movement for continuous integration
ifeq ($(CI),true)
export TERM := dumb
export NO_COLOR := 1
endif

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; \
	do printf '  make %-9s %s\n' "$$name" "$$what"; done

setup: ## install the Debian packages that are missing
	@tools/setup

build: setup ## build/tactus, build/libtactus.a, build/libtactus.so
	@tools/build release program

demo: build ## let two figures fall, film them in build/demo.png, check the gradient of their fall
	build/tactus run scenes/figures.xml --time 1.2 -o build/demo.npz
	build/tactus render scenes/figures.xml --from build/demo.npz --animate 10 --size 320x200 -o build/demo.png
	build/tactus grad scenes/figures.xml --from build/demo.npz --of xpos:upper/x --steps 10 --wrt option/gravity --check

test: setup ## all tests: release, address and undefined-behaviour sanitizers, style
	@tools/test

test-all: ## also clang, thread sanitizer, long sweeps, fuzzing (an hour)
	@tools/setup all
	@tools/test all

install: build ## install program, library and headers to PREFIX (default /usr/local)
	@cmake --install build --prefix "$(abspath $(PREFIX))"

bench: build ## measure
	build/tactus bench

pictures: build ## draw the pictures of docs/ again, by the commands that the pages show
	@tools/pictures

format: setup ## lay out all C files with clang-format
	@tools/check-format --fix

clean: ## remove build/
	rm -rf build
