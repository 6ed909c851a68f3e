package dev.sallyport.git;

import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Optional;

/// A command of a push and what the policy has against it.
record JudgedUpdate(RefUpdate update, Optional<Refusal> objection) {
    /// Every command is judged, whatever the ones before it were (CVE-2025-54583).
    static List<JudgedUpdate> judge(Permit permit, List<RefUpdate> updates) {
        return updates.stream()
                .map(update -> new JudgedUpdate(update, Policy.objection(permit, update)))
                .toList();
    }
}
