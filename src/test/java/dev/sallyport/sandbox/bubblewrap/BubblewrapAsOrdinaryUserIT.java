package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.OrdinaryUser;
import org.junit.jupiter.api.Test;

/// Everything that holds for root's bubblewrap sandboxes holds for an account without rights.
class BubblewrapAsOrdinaryUserIT {
    @Test
    void theSameHoldsForAnOrdinaryUser() {
        try (OrdinaryUser user = OrdinaryUser.create()) {
            user.runTests(
                    BubblewrapIT.class,
                    BubblewrapLifeIT.class,
                    BubblewrapMountIT.class,
                    BubblewrapTerminalIT.class);
            assertThat(user.processes()).isEmpty();
        }
    }
}
