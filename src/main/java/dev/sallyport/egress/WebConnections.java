package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// The hosts that one proxy connection talks to, one request after the other: a door for each, and
/// not more than a few at a time. A door that was opened under other rights is not used again.
final class WebConnections implements AutoCloseable {
    private static final int DOORS_MAX = 8;

    private record Opened(WebDoors.Connection door, Policy policy) {}

    private final WebDoors doors;
    private final SequencedMap<HostAndPort, Opened> open = new LinkedHashMap<>(16, 0.75f, true);

    WebConnections(WebDoors doors) {
        this.doors = doors;
    }

    /// @param policy that the permit is from
    WebDoors.Connection to(EgressPermit permit, Policy policy) {
        HostAndPort key = new HostAndPort(permit.host(), permit.port());
        Opened known = open.get(key);
        if (known != null && known.policy == policy) {
            return known.door;
        }
        if (known != null) {
            open.remove(key);
            known.door.close();
        }
        WebDoors.Connection door = doors.open(permit, false);
        open.put(key, new Opened(door, policy));
        if (open.size() > DOORS_MAX) {
            open.pollFirstEntry().getValue().door.close();
        }
        return door;
    }

    @Override
    public void close() {
        open.values().forEach(opened -> opened.door.close());
        open.clear();
    }
}
