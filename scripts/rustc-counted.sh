#!/bin/sh
# What cargo calls in place of rustc for our crates when their coverage is measured.
exec "$@" -C instrument-coverage
