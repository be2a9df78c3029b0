# Sourced by ./test, ./demo and bench/run: configures and builds.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Compiling a file that includes torch takes up to 1.6 GB: as many jobs as cores and memory allow.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 1600000) }' /proc/meminfo)
  ((memory < 1)) && memory=1
  echo $((cores < memory ? cores : memory))
}

# configure PRESET: only if not done yet, or if the presets have changed since; Ninja handles changed CMake files.
# Warnings are only errors in CI: another compiler's warnings must not stop a user's build.
configure() {
  local stamp=$root/build/$1/.configured
  [[ $stamp -nt $root/CMakePresets.json && $stamp -nt $root/packages.txt ]] && return
  (cd "$root" && cmake --preset "$1" -DGCAN_WERROR="${CI:+ON}")
  touch "$stamp"
}

# On a terminal Ninja updates one line; elsewhere we print one line per tenth instead of hundreds. In CI warnings are
# errors, also those that ccache repeats from builds without -Werror.
tenths() {
  local line tenth said=0 warned=0
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      ((tenth <= said)) || echo "Compiled $((10 * (said = tenth))) %"
    else
      printf '%s\n' "$line"
      [[ $line =~ :[0-9]+:[0-9]+:\ warning: ]] && warned=1
    fi
  done
  if [[ -n ${CI:-} ]] && ((warned)); then
    echo "The build has warnings, which are errors in CI." >&2
    return 1
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  set -o pipefail  # The line counter must not hide a failed build.
  configure "$preset"
  if [[ -t 1 ]]; then
    cmake --build "$root/build/$preset" --parallel "$(build_jobs)" ${1:+--target "$@"}
  else
    cmake --build "$root/build/$preset" --parallel "$(build_jobs)" ${1:+--target "$@"} | tenths
  fi
}
