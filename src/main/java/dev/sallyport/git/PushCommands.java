package dev.sallyport.git;

import dev.sallyport.policy.RefUpdate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Set;

/// The command list of a push, parsed. Empty for the probe that git sends before a large push.
record PushCommands(List<RefUpdate> updates, Set<String> capabilities) {
    PushCommands {
        updates = List.copyOf(updates);
    }

    /// Deletes move no objects, so a push of deletes alone has no pack.
    boolean needsPack() {
        return updates.stream().anyMatch(update -> !update.isDelete());
    }

    boolean isProbe() {
        return updates.isEmpty();
    }

    boolean sideband() {
        return capabilities.contains("side-band-64k");
    }

    /// The list as it goes upstream: written anew from the parsed parts, so that what was judged is
    /// what is sent.
    ByteBuf serialise() {
        ByteBuf out = Unpooled.buffer();
        boolean first = true;
        for (RefUpdate update : updates) {
            String command = update.before() + " " + update.after() + " " + update.ref();
            String tail = first ? "\0 " + String.join(" ", capabilities) : "";
            PktLine.write(out, command + tail);
            first = false;
        }
        PktLine.writeFlush(out);
        return out;
    }
}
