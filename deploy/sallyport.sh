#!/bin/bash
# The command line of an installed Sallyport: its own Java and jar lie in a directory beside this file.
set -euo pipefail
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=build/launch.sh
. "$root/launch.sh"
# Daemons go on running from where they were started, so it is named by its version and not by the link.
app=$(readlink -f -- "$root/app")
use_java "$app/runtime"
# The image starts the daemon by its name; it may take more than a command, as confine.Jvm says.
if [[ ${1:-} == internal-warden ]]; then java+=(-Xmx512m -XX:TieredStopAtLevel=4); fi
launch "$app" "$@"
