#!/usr/bin/env bash
# Builds the optimised program with the console's files inside, and from it the files of a release into dist/: tarball, wheel, Debian package,
# bill of materials and SHA256SUMS.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

"$REPO/scripts/toolchain.sh"
source scripts/env.sh # the tool chain may be another one now
# The tokenizer is part of the release, the weights are not.
"$REPO/scripts/fetch.sh" style model
"$REPO/scripts/frontend.sh"

target=$(rustc -vV | sed -n 's/^host: //p')
# A release is a commit; an archive of the sources without git names neither commit nor day.
if [ -z "${REMEMBRANCER_COMMIT:-}" ] && git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
  [ -z "$(git status --porcelain)" ] || say "uncommitted changes become part of this release"
  REMEMBRANCER_COMMIT=$(git rev-parse --short=12 HEAD)
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
  REMEMBRANCER_DATE=$(git log -1 --format=%cs)
  export REMEMBRANCER_COMMIT REMEMBRANCER_DATE SOURCE_DATE_EPOCH
fi
[ -n "${REMEMBRANCER_COMMIT:-}" ] || unset REMEMBRANCER_COMMIT REMEMBRANCER_DATE

claim_target
say "building the optimised program (half an hour the first time, on two cores)"
build_release --features server/embedded-site
# Cargo's own setting does not reach a package with a setting of its own.
program=$CARGO_TARGET_DIR/release/remembrancer-stripped
strip --strip-all -o "$program" "$CARGO_TARGET_DIR/release/remembrancer"

rm -rf dist
"$REPO/scripts/package.py" --program "$program" --target "$target" --tokenizer "$MODEL_HOME/tokenizer.json"
"$program" --version
