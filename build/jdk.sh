# shellcheck shell=bash
# Finds a JDK that is new enough. Sourced by ./sallyport and ./test; defines functions only.

SALLYPORT_JAVA_MIN=25

# Whether directory $1 holds a JDK that is new enough and has the tool $2. Reads the release file
# with the shell's own means, because ./sallyport does this on every start.
is_new_enough() {
    local line
    [[ -x $1/bin/$2 && -r $1/release ]] || return 1
    while IFS= read -r line || [[ -n $line ]]; do
        if [[ $line =~ ^JAVA_VERSION=\"?([0-9]{1,4}) ]]; then
            ((10#${BASH_REMATCH[1]} >= SALLYPORT_JAVA_MIN))
            return
        fi
    done <"$1/release"
    return 1
}

# Prints the home of the first JDK that is new enough: what the person named, then the usual places.
# $1 is the tool that it must have; javac when a build is needed, which is the default.
find_jdk() {
    local tool=${1:-javac} candidate on_path
    for candidate in "${SALLYPORT_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
        /opt/* /opt/java/*; do
        if [[ -n $candidate ]] && is_new_enough "$candidate" "$tool"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    on_path=$(command -v java) || return 1
    candidate=$(dirname -- "$(dirname -- "$(readlink -f -- "$on_path")")")
    is_new_enough "$candidate" "$tool" && printf '%s\n' "$candidate"
}

# Says what to install, with the command for this machine where there is one.
explain_missing_jdk() {
    local package remedy="Install one, for example Eclipse Temurin $SALLYPORT_JAVA_MIN"
    if [[ -n ${SALLYPORT_JAVA_HOME:-} ]]; then
        printf 'sallyport: SALLYPORT_JAVA_HOME=%s is not a JDK %s or newer.\n' \
            "$SALLYPORT_JAVA_HOME" "$SALLYPORT_JAVA_MIN" >&2
    fi
    if command -v apt-cache >/dev/null; then
        for package in "openjdk-$SALLYPORT_JAVA_MIN-jdk-headless" "temurin-$SALLYPORT_JAVA_MIN-jdk"; do
            if [[ -n $(apt-cache --quiet=2 search --names-only "^$package\$" 2>/dev/null) ]]; then
                remedy="Install one with:  sudo apt-get install $package"
                break
            fi
        done
    elif command -v dnf >/dev/null; then
        remedy="Install one with:  sudo dnf install java-$SALLYPORT_JAVA_MIN-openjdk-devel"
    fi
    printf '%s\n' \
        "sallyport: a JDK $SALLYPORT_JAVA_MIN or newer is needed, and none was found in JAVA_HOME, /usr/lib/jvm, ~/.sdkman, /opt or on PATH." \
        "  $remedy" \
        "  If it is in an unusual place, set SALLYPORT_JAVA_HOME to its directory." >&2
}
