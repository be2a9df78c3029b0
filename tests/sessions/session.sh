# shellcheck shell=bash
# Shared by the scripted sessions: an empty folder, only the installed gcan in the PATH, and expectations.
# Usage in a session: . session.sh PREFIX SOURCE

set -euo pipefail
prefix=$1
# Used by the sessions.
# shellcheck disable=SC2034
source_folder=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/gcan-session-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder PATH=$prefix/bin:/usr/local/bin:/usr/bin:/bin
unset PYTHONPATH

fail() {
  printf 'FAILED: %s\n' "$@" >&2
  exit 1
}

# says TEXT COMMAND...: the command succeeds, and prints the text on stdout or stderr.
says() {
  local text=$1 output
  shift
  output=$("$@" 2>&1 </dev/null) || fail "$*" "$output"
  [[ $output == *"$text"* ]] || fail "$* does not say '$text':" "$output"
}

# refuses TEXT COMMAND...: the command fails with one sentence that contains the text.
refuses() {
  local text=$1 output
  shift
  if output=$("$@" 2>&1 </dev/null); then fail "$* succeeds:" "$output"; fi
  [[ ${output##*$'\n'} == gcan:*"$text"* ]] || fail "$* does not refuse with '$text':" "$output"
}

# is_picture FILE: a PNG or GIF with something in it.
is_picture() {
  local start
  start=$(head -c 6 "$1" | tr -d '\0') || fail "there is no picture $1"
  [[ $start == *PNG* || $start == GIF8* ]] || fail "$1 is no picture"
  (($(stat -c %s "$1") > 2000)) || fail "$1 is nearly empty"
}
