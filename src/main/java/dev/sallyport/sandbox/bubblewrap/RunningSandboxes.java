package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxException;
import java.util.Set;
import java.util.stream.Collectors;

/// The sandboxes of an installation that have processes, whether or not a session owns them.
public final class RunningSandboxes {
    private RunningSandboxes() {}

    /// Ids of their sessions; empty when processes cannot be listed.
    public static Set<String> of(Installation installation, Person person) {
        try {
            return new MarkedProcesses(installation, person)
                    .find(_ -> true).values().stream()
                            .map(SessionId::value)
                            .collect(Collectors.toSet());
        } catch (SandboxException e) {
            return Set.of();
        }
    }
}
