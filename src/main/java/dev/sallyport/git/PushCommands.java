package dev.sallyport.git;

import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The command list of a push, parsed. Empty for the probe that git sends before a large push.
///
/// @param options what the push says besides its commands ([PushOptions])
/// @param misnamed commands whose refs have names that are not accepted; they deny the push
/// @param excess whether the list is longer than the limits allow, which denies the push as well;
///   then it may be incomplete
record PushCommands(
        List<RefUpdate> updates,
        List<JudgedUpdate> misnamed,
        Set<String> capabilities,
        List<String> options,
        boolean excess) {
    PushCommands {
        updates = List.copyOf(updates);
        misnamed = List.copyOf(misnamed);
        options = List.copyOf(options);
    }

    /// The same with options that were judged.
    PushCommands withOptions(List<String> judged) {
        return new PushCommands(updates, misnamed, capabilities, judged, excess);
    }

    /// Every command with what its name, or the length of the list, has against it.
    List<JudgedUpdate> judgedByName(GitPermit permit) {
        List<JudgedUpdate> judged =
                new ArrayList<>(
                        excess
                                ? JudgedUpdate.all(updates, Refusal.TOO_MANY_REFS)
                                : JudgedUpdate.byName(permit, updates));
        judged.addAll(misnamed);
        return judged;
    }

    /// Every command with one reason against it.
    List<JudgedUpdate> judgedAs(Refusal reason) {
        List<JudgedUpdate> judged = new ArrayList<>(JudgedUpdate.all(updates, reason));
        judged.addAll(misnamed);
        return judged;
    }

    /// Deletes move no objects, so a push of deletes alone has no pack.
    boolean needsPack() {
        return updates.stream().anyMatch(update -> !update.isDelete());
    }

    boolean isProbe() {
        return updates.isEmpty() && misnamed.isEmpty();
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
        if (capabilities.contains(Capabilities.PUSH_OPTIONS)) {
            options.forEach(option -> PktLine.write(out, option));
            PktLine.writeFlush(out);
        }
        return out;
    }
}
