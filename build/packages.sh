# shellcheck shell=bash
# Sourced by test and bench/run: brings programs of the distribution (Debian or Ubuntu, as root).

# Each argument is command:package, or /path:package; packages of what is missing are installed.
install_missing() {
    local missing=() pair
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null || [ -x "/usr/sbin/${pair%%:*}" ] || [[ "$pair" == /* && -e "${pair%%:*}" ]] || missing+=("${pair##*:}")
    done
    [ "${#missing[@]}" -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ]; then
        printf 'These packages are needed, and installing them needs root: %s\n' "${missing[*]}" >&2
        exit 69
    fi
    printf 'installing: %s\n' "${missing[*]}" >&2
    apt-get update -qq
    # Packages that start a daemon on installation must not: whoever needs one starts it, on a port of their own.
    (
        guard=/usr/sbin/policy-rc.d
        if [ ! -e "$guard" ]; then
            trap 'rm -f "$guard"' EXIT
            printf '#!/bin/sh\nexit 101\n' >"$guard"
            chmod 755 "$guard"
        fi
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    )
}
