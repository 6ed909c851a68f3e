package dev.sallyport.egress;

import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.HostName;
import java.util.Map;
import java.util.TreeMap;

/// One connection that a sandbox wants to a host, and how it came in.
///
/// @param id under which everything that becomes of it is found in the record
record Attempt(Entrance entrance, HostName host, int port, String id) {
    /// Where connections come in.
    enum Entrance {
        /// On the address that stands for the host's name.
        TRANSPARENT("transparent"),
        /// Through the proxy.
        PROXY("proxy");

        private final String label;

        Entrance(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    static Attempt of(Entrance entrance, HostName host, int port) {
        return new Attempt(entrance, host, port, RefusalLog.newId());
    }

    /// As details of an event.
    Map<String, String> detail() {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", id);
        detail.put("host", host.value());
        detail.put("port", Integer.toString(port));
        detail.put("door", entrance.label());
        return detail;
    }
}
