package dev.sallyport.porter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.OrdinaryUser;
import org.junit.jupiter.api.Test;

/// The porter that needs no rights opens the same sockets and refuses the same namespaces.
class PorterAsOrdinaryUserIT {
    @Test
    void theSameHoldsForAnOrdinaryUser() {
        try (OrdinaryUser user = OrdinaryUser.create()) {
            user.runTests(PorterIT.class);
            assertThat(user.processes()).isEmpty();
        }
    }
}
