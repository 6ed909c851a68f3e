package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.confine.Jvm;
import java.util.Map;

/// What the daemons inherit: where things are, and nothing that could change what they do.
final class DaemonEnvironment {
    static Map<String, String> from(Map<String, String> own, Home home) {
        Map<String, String> kept = Jvm.daemonEnvironment(own);
        kept.put("SALLYPORT_HOME", home.root().toString());
        for (String name : new String[] {"HOME", "USER", "XDG_RUNTIME_DIR"}) {
            String value = own.getOrDefault(name, "");
            if (!value.isEmpty()) {
                kept.put(name, value);
            }
        }
        return kept;
    }
}
