#!/bin/sh
# Builds the consumers in Go of examples/consumers/ (all, or those that are named) into .cache/consumers/bin/.
# Without optimizations: they take half of the time of the compiler, and a test sends a few hundred events.
set -e
cd "$(dirname "$0")/../../../examples/consumers"
programs=../../.cache/consumers/bin
mkdir -p "$programs"
export GOTOOLCHAIN=local GOFLAGS=-mod=readonly
exec go build -gcflags='github.com/...=-N -l' -ldflags='-s -w' -o "$programs/" "${@:-./...}"
