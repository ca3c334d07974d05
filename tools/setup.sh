#!/usr/bin/env bash
# Installs what this machine lacks and nothing else: `tools/setup.sh build` what building Bolide needs,
# `tools/setup.sh test` what ./test needs as well. Quick and silent when everything is there.
# Debian 12, as root or as a user with sudo; macOS with Homebrew is written but was not run.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
log="$root/build/setup.log"
lock_wait_s=600

debian_build=(g++ cmake ninja-build libboost1.81-dev libboost-json1.81-dev libfmt-dev libcli11-dev libssl-dev)
debian_test=(git ccache libgtest-dev libgmock-dev libpcre2-dev unicode-data
  clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev)
homebrew_build=(cmake ninja boost fmt cli11 openssl@3)
homebrew_test=(git ccache googletest pcre2 llvm node)

say() { printf 'bolide: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# Runs a command with its output in the log; shows the log when the command fails.
logged() {
  printf '\n$ %s\n' "$*" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null || {
    tail -n 40 "$log" >&2
    fail "'$*' failed; the whole output is in $log"
  }
}

# The packages among the arguments that are not installed, one a line.
missing_debian() {
  local installed name
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
  for name in "$@"; do
    [[ $installed == *" installed:$name "* ]] || printf '%s\n' "$name"
  done
}

# Sets `as_root` to the words that make a command run as root, or stops with what an administrator can type.
find_root() {
  as_root=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C)
  [[ $(id -u) != 0 ]] || return 0
  local advice="ask an administrator for: apt-get install --no-install-recommends $*"
  command -v sudo >/dev/null || fail "packages are missing, and this is neither root nor a user with sudo; $advice"
  # Without a password where that is allowed, else asking for it once, on the terminal.
  sudo -n true 2>/dev/null || { [[ -t 2 ]] && sudo -v; } || fail "packages are missing, and sudo refused; $advice"
  as_root=(sudo -n "${as_root[@]}")
}

# Refreshes apt's lists: update_lists APT_COMMAND... A source that fails is no reason to stop: the installation decides.
# Installing waits for another apt by itself; refreshing does not, and a fresh machine updates itself for a while.
update_lists() {
  local output deadline=$((SECONDS + lock_wait_s))
  while true; do
    output="$("$@" update 2>&1 </dev/null || true)"
    printf '\n$ %s update\n%s\n' "$*" "$output" >>"$log"
    [[ $output == *"Could not get lock"* && $SECONDS -lt $deadline ]] || return 0
    sleep 5
  done
}

setup_debian() {
  local missing
  missing="$(missing_debian "$@")"
  [[ -n $missing ]] || return 0
  # shellcheck disable=SC2086 # one package a line, no blanks inside
  set -- $missing
  find_root "$@"
  local apt=("${as_root[@]}" apt-get -y -q -o "DPkg::Lock::Timeout=$lock_wait_s")
  say "installing $# Debian packages: $*"
  update_lists "${apt[@]}"
  logged "${apt[@]}" install --no-install-recommends "$@"
}

setup_macos() {
  command -v brew >/dev/null || fail "Homebrew is needed to install: $*"
  local name missing=()
  for name in "$@"; do
    brew list --versions "$name" >/dev/null 2>&1 || missing+=("$name")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  say "installing with Homebrew: ${missing[*]}"
  logged brew install "${missing[@]}"
}

main() {
  local purpose="${1:-build}" packages
  mkdir -p "$root/build"
  if command -v dpkg-query >/dev/null; then
    packages=("${debian_build[@]}")
    if [[ $purpose == test ]]; then
      packages+=("${debian_test[@]}")
      # Node.js may be there without Debian's package; any version from 18 on will do.
      command -v node >/dev/null || packages+=(nodejs)
      command -v npm >/dev/null || packages+=(npm)
    fi
    setup_debian "${packages[@]}"
  elif [[ $(uname -s) == Darwin ]]; then
    packages=("${homebrew_build[@]}")
    [[ $purpose != test ]] || packages+=("${homebrew_test[@]}")
    setup_macos "${packages[@]}"
  elif ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
    fail "set-up knows Debian 12 and macOS; elsewhere install the like of: ${debian_build[*]}"
  fi
}

main "$@"
