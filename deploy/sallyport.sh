#!/bin/sh
# The command line of an installed Sallyport: jar and JDK lie where the service and the image have them.
unset JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS LD_PRELOAD LD_LIBRARY_PATH ENV
exec /usr/lib/sallyport/jdk/bin/java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xlog:disable \
    --enable-native-access=ALL-UNNAMED -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8 \
    -cp /usr/lib/sallyport/sallyport.jar dev.sallyport.cli.Sallyport "$@"
