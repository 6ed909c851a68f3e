package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.confine.Jvm;
import java.util.Map;
import java.util.TreeMap;

/// What the daemons inherit: where things are, and nothing that could change what they do.
final class DaemonEnvironment {
    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    static Map<String, String> from(Map<String, String> own, Home home) {
        Map<String, String> kept = new TreeMap<>();
        kept.put("PATH", PATH);
        kept.put("LANG", "C.UTF-8");
        kept.put(Jvm.ARENAS, Jvm.ARENAS_MAX);
        kept.put("SALLYPORT_HOME", home.root().toString());
        for (String name : new String[] {"HOME", "USER", "XDG_RUNTIME_DIR"}) {
            String value = own.getOrDefault(name, "");
            if (!value.isEmpty()) {
                kept.put(name, value);
            }
        }
        // Where a person's own, rootless engine listens; never an engine on the network.
        String docker = own.getOrDefault("DOCKER_HOST", "");
        if (docker.startsWith("unix:///")) {
            kept.put("DOCKER_HOST", docker);
        }
        return kept;
    }
}
