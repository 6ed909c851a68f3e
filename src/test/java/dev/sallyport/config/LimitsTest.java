package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Limits that have to fit to each other.
final class LimitsTest {
    private static final Limits STANDARD = Limits.standard();

    /// Each request under way counts as a connection to its host. If they could be all of them, a
    /// new connection to a busy registry would be refused instead of waiting for its turn.
    @Test
    void requestsThatAllGoToOneHostLeaveRoomForAnotherConnectionToIt() {
        assertThat(STANDARD.egress().connectionsPerHostMax())
                .isGreaterThanOrEqualTo(2 * STANDARD.sharing().requestsInFlightPerSandboxMax());
    }

    @Test
    void aSandboxKeepsAsManyConnectionsAsItHasRequestsUnderWay() {
        assertThat(STANDARD.upstream().keptConnectionsPerSandboxMax())
                .isGreaterThanOrEqualTo(STANDARD.sharing().requestsInFlightPerSandboxMax());
    }
}
