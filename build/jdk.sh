# shellcheck shell=bash
# Finds a JDK that is new enough. Sourced by ./sallyport and ./test; defines functions only.

SALLYPORT_JAVA_MIN=25

# Prints the major version of the JDK in $1, read from its release file so that no JVM has to start.
jdk_major() {
    local line
    line=$(grep -m1 '^JAVA_VERSION=' "$1/release" 2>/dev/null) || return 1
    line=${line#JAVA_VERSION=\"}
    printf '%s\n' "${line%%[.\"+-]*}"
}

is_new_enough() {
    local major
    [ -x "$1/bin/java" ] && major=$(jdk_major "$1") && [ "$major" -ge "$SALLYPORT_JAVA_MIN" ] 2>/dev/null
}

# Prints the home of the first JDK that is new enough: what the person named, then the usual places.
find_jdk() {
    local candidate on_path
    on_path=$(command -v java || :)
    [ -n "$on_path" ] && on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    for candidate in "${SALLYPORT_JAVA_HOME:-}" "${JAVA_HOME:-}" "$on_path" \
        /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* /opt/*jdk* /opt/java/*; do
        if [ -n "$candidate" ] && is_new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

explain_missing_jdk() {
    printf '%s\n' "Sallyport needs a JDK $SALLYPORT_JAVA_MIN or newer and found none in JAVA_HOME, on PATH, in /usr/lib/jvm, ~/.sdkman or /opt." \
        "Install one, for example Temurin $SALLYPORT_JAVA_MIN (package temurin-$SALLYPORT_JAVA_MIN-jdk) or openjdk-$SALLYPORT_JAVA_MIN-jdk," \
        "or point SALLYPORT_JAVA_HOME at one." >&2
}
