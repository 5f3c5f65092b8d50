# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts here: installs what is missing, configures, builds. Says what it is about to do; a second call
# finds everything in place and does no set-up again. One build folder serves every script: each builds its own target and, where an
# earlier one left out a part, adds it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${WARPWRIGHT_PRESET:-release}
build=$root/build/$preset
cache=${WARPWRIGHT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpwright}
private_cuda=$cache/cuda/nvidia/cu13

say() { printf 'warpwright: %s\n' "$*" >&2; }
die() { say "$*"; exit 3; }

listed() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"; }

# listed_packages PART…: the names of those that every program needs and of those for the parts.
listed_packages() {
  local name part
  while read -r name part; do
    case " $* " in *" ${part:-all} "*) printf '%s\n' "$name" ;; esac
  done < <(listed "$root/packaging/apt-packages.txt")
}

# Runs as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "these need root, and there is no sudo here; run as root: $*"; fi
}

# install_packages PART…
install_packages() {
  command -v apt-get >/dev/null || { say "no apt-get here: install by hand what packaging/apt-packages.txt lists"; return 0; }
  local missing=() name
  for name in $(listed_packages all "$@"); do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} = 0 ] && return 0
  say "installing ${#missing[@]} packages with apt-get: ${missing[*]}"
  as_root apt-get update -q >&2 || say "apt-get update failed; trying with the lists that are here"
  local known=()
  for name in "${missing[@]}"; do  # a release that has it under another name gets the rest, and cmake says what it lacks
    if apt-cache show "$name" >/dev/null 2>&1; then known+=("$name"); else say "apt-get knows no package $name here; going on without it"; fi
  done
  missing=("${known[@]}")
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install: ${missing[*]}"
}

# install_wheels FOLDER WHEEL…: into a private folder of their own (pip replaces an existing "nvidia").
install_wheels() {
  local python=$cache/pip-venv folder=$1
  shift
  mkdir -p "$cache"
  [ -x "$python/bin/pip" ] || python3 -m venv "$python" || { say "python3 -m venv failed; is python3-venv installed?"; return 1; }
  "$python/bin/pip" install -q --disable-pip-version-check --no-deps --upgrade --target "$folder" "$@" >&2
}

# The disassembler, which shows machine code. It is optional: one attempt, and no error without it.
install_nvdisasm() {
  local folder=$cache/cuda-tools
  if [ -x "$WARPWRIGHT_CUDA/bin/nvdisasm" ] || command -v nvdisasm >/dev/null || [ -e "$folder" ]; then return 0; fi
  say "installing NVIDIA's disassembler (2 MB) from PyPI into $folder"
  install_wheels "$folder" "nvidia-cuda-nvdisasm==13.*" || say "it could not be installed: machine code will not be shown"
  mkdir -p "$folder"
}

# A CUDA toolkit that is here, or NVIDIA's wheels in a private folder. Sets WARPWRIGHT_CUDA.
install_cuda() {
  local dir
  for dir in "${WARPWRIGHT_CUDA:-}" "${CUDA_HOME:-}" /usr/local/cuda "$private_cuda"; do
    [ -n "$dir" ] || continue
    if compgen -G "$dir/lib*/libnvrtc.so*" >/dev/null && [ -f "$dir/include/cuda_fp16.h" ]; then
      export WARPWRIGHT_CUDA=$dir
      install_nvdisasm
      return 0
    fi
  done
  say "no CUDA toolkit found; installing NVIDIA's compiler wheels (about 150 MB) from PyPI into $cache/cuda: $(listed "$root/packaging/cuda-wheels.txt" | tr '\n' ' ')"
  if install_wheels "$cache/cuda" $(listed "$root/packaging/cuda-wheels.txt") &&
     [ -f "$private_cuda/include/cuda_fp16.h" ]; then
    export WARPWRIGHT_CUDA=$private_cuda
    install_nvdisasm
  else
    say "the wheels could not be installed: candidates cannot be compiled until a CUDA toolkit (13.x) is here; set WARPWRIGHT_CUDA to its folder"
  fi
}

# configure PART…: with WARPWRIGHT_WINDOW, WARPWRIGHT_TESTS and WARPWRIGHT_PORTABLE for the parts asked for. A folder keeps the parts
# that it has.
configure() {
  local part option cached wanted=() missing=no
  for part in window tests portable; do
    option=WARPWRIGHT_${part^^}
    cached=$(grep -s "^$option:BOOL=" "$build/CMakeCache.txt" || true)
    if [[ " $* " = *" $part "* ]]; then
      wanted+=("-D$option=ON")
      [ "$cached" = "$option:BOOL=ON" ] || missing=yes
    elif [ -z "$cached" ]; then
      wanted+=("-D$option=OFF")
    fi
  done
  if [ $missing = no ] && [ -f "$build/build.ninja" ]; then return 0; fi
  say "configuring with the CMake preset '$preset' into $build"
  mkdir -p "$build"
  (cd "$root" && cmake --preset "$preset" "${wanted[@]}") >"$build/configure.log" 2>&1 || { tail -n 30 "$build/configure.log" >&2; die "cmake failed; its output is in $build/configure.log"; }
}

# build_target TARGET
build_target() {
  [ -x "$build/bin/warpwright-cli" ] || say "building (a first build takes some minutes on two cores)"
  if [ -t 2 ]; then ninja -C "$build" --quiet "$1" >&2 || die "the build failed"
  else ninja -C "$build" "$1" >"$build/build.log" 2>&1 || { grep -nE 'error|FAILED' "$build/build.log" | head -n 40 >&2; die "the build failed; its output is in $build/build.log"; }
  fi
}

# set_up TARGET PART…: everything that TARGET needs, then TARGET itself.
set_up() {
  local target=$1
  shift
  install_packages "$@"
  install_cuda
  export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  configure "$@"
  build_target "$target"
}
