package dev.sallyport.push;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.RefVisibility;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Everything that one push is judged by. Its refs have already passed the policy by name.
///
/// @param upstream all refs that upstream has now and that vouch for what they reach, as far as
///   this session may see them
/// @param shallow commits of upstream whose parents it does not have; its history ends there
/// @param mirrorObjects the `objects` directory of a complete copy of what those refs reach; what
///   is in it counts as accepted, so it must never have held what other refs reach
/// @param pack the spooled pack, as it was sent; absent when refs are only deleted
/// @param quarantine an empty directory of this push alone; the caller removes it
public record PushCase(
        PushRules rules,
        List<RefUpdate> updates,
        Map<RefName, ObjectName> upstream,
        Set<ObjectName> shallow,
        Path mirrorObjects,
        Optional<Path> pack,
        Path quarantine) {
    public PushCase {
        updates = List.copyOf(updates);
        upstream = Map.copyOf(upstream);
        shallow = Set.copyOf(shallow);
        RefVisibility trusted = RefVisibility.all().trusted(rules.refsTrusted());
        if (!upstream.keySet().stream().allMatch(trusted::shows)) {
            throw new IllegalArgumentException("a ref that vouches for nothing");
        }
    }
}
