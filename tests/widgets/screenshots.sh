#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures of every workspace, panel and dialog on the recorded session, in every theme, at 1000x700, 1280x800, 1600x1000 and 2560x1440, and at scale 2,
# without a display.
#   tests/widgets/screenshots.sh BUILD FOLDER
set -eu
[ $# = 2 ] || { sed -n 3,5p "$0" >&2; exit 2; }
build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen HOME=$work WARPWRIGHT_RESOURCES=$root/resources XDG_RUNTIME_DIR=$work WARPWRIGHT_CONFIG=$work/config
"$build/bin/warpwright-cli" bundle import "$root/resources/tour/session.wwb" --workspace "$work/session" >/dev/null
for view in "1 1000x700 1000x700" "1 1280x800 1280x800" "1 1600x1000 1600x1000" "1 2560x1440 2560x1440" "2 1280x720 2560x1440-scale-2"; do  # the offscreen screen has 1280x720 points at scale 2
  read -r scale size name <<<"$view"
  printf '[window]\nworkspace=%s\nrun=1\ncandidate=7\n[tour]\nseen=true\n' "$work/session" >"$work/settings.ini"
  QT_SCALE_FACTOR=$scale "$build/bin/warpwright" --workspace "$work/session" --settings "$work/settings.ini" --size "$size" --screenshots "$folder/$name"
done
