#!/bin/sh
# The command line of an installed Sallyport: jar and JDK lie where the service and the image have them.
unset JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_AOT_VM_OPTIONS LD_PRELOAD LD_LIBRARY_PATH ENV
# The JVM knows the names of files by the locale; --env LC_ALL still means the caller's.
if [ -n "${LC_ALL+set}" ]; then export SALLYPORT_LC_ALL="$LC_ALL"; else unset SALLYPORT_LC_ALL; fi
exec env LC_ALL=C.UTF-8 /usr/lib/sallyport/jdk/bin/java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xlog:disable \
    --enable-native-access=ALL-UNNAMED -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8 \
    -cp /usr/lib/sallyport/sallyport.jar dev.sallyport.cli.Sallyport "$@"
