# shellcheck shell=bash
# How the program is started, from a checkout and from a package. Sourced by ./sallyport and deploy/sallyport.sh.

# What an inherited environment could use to run other code inside our processes.
unset JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_AOT_VM_OPTIONS LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH CDPATH BASH_ENV ENV

# A process that has read a secret leaves no memory behind on disk.
ulimit -c 0

# A JVM would get one of its own files under the number of a standard stream that is closed, and hand it on or close it.
if ! true 2>/dev/null 3<&0; then exec </dev/null; fi
if ! true 2>/dev/null 3>&1; then exec >/dev/null; fi
# Where only 2 was closed, bash itself has got its script there, to read.
if ! true 3>&2 || [[ /dev/fd/2 -ef $0 ]]; then exec 2>/dev/null; fi

readonly MAIN=dev.sallyport.cli.Sallyport
# Debian's bubblewrap, git and util-linux work with this PATH also when the caller's is odd.
PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Sets "java" to the command of the Java in $1.
use_java() {
    # It knows the names of files by the locale, whatever that of the caller is; --env LC_ALL still means the caller's.
    if [[ -v LC_ALL ]]; then export SALLYPORT_LC_ALL=$LC_ALL; else unset SALLYPORT_LC_ALL; fi
    export LC_ALL=C.UTF-8 MALLOC_ARENA_MAX=2
    # The options of confine.Jvm's COMMAND; JvmTest compares them.
    java=("$1/bin/java"
        -XX:+UseSerialGC -XX:+UseCompactObjectHeaders -Xlog:disable -XX:-HeapDumpOnOutOfMemoryError
        -XX:-CreateCoredumpOnCrash -XX:ErrorFile=/dev/null -XX:+DisableAttachMechanism -XX:-UsePerfData
        --enable-native-access=ALL-UNNAMED -Xmx256m -Xms24m -Xmn16m -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=8
        -Djdk.reflect.useNativeAccessorOnly=true
        -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8)
}

# What somebody else could have written is not used; see ADR 14.
is_ours() {
    local owner mode
    read -r owner mode < <(stat -c '%u %a' -- "$1") || return 1
    [[ -f $1 && ! -L $1 && -r $1 && ($owner == 0 || $owner == "$EUID") ]] && (((8#$mode & 8#022) == 0))
}

# Becomes the program in directory $1, which has the jar and perhaps caches; the rest are its arguments.
launch() {
    local app=$1 cache=cli.aot
    shift
    if [[ ${1:-} == internal-pod ]]; then
        cache=gateway.aot
        # What confine.Jvm's SIDECAR has of its own; the later one of two options counts. JvmTest compares them.
        java+=(-Xmx40m -Xms6m -XX:NewSize=2m -XX:MaxNewSize=12m -XX:MaxDirectMemorySize=48m -XX:MinHeapFreeRatio=10
            -XX:MaxHeapFreeRatio=20 -XX:ReservedCodeCacheSize=24m -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=8
            -XX:TrimNativeHeapInterval=30000 -XX:+ExitOnOutOfMemoryError -Dio.netty.jfr.enabled=false
            -Dio.netty.leakDetection.level=disabled)
    fi
    if is_ours "$app/$cache" 2>/dev/null; then
        java+=(-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 "-XX:AOTCache=$app/$cache")
    fi
    exec "${java[@]}" -cp "$app/sallyport.jar" "$MAIN" "$@"
}
