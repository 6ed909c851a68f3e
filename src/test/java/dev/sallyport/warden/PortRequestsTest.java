package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Home;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.Person;
import dev.sallyport.session.PublishedPort;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortRequestsTest {
    private static final Home HOME = new Home(Path.of("/nowhere"));

    private static PortRequests own() {
        return new PortRequests(Patron.own(HOME));
    }

    private static PortRequests guest(int uid) {
        Person person = new Person(uid, uid, "guest", Path.of("/home/guest"));
        Guest guest = new Guest(person, List.of(uid));
        return new PortRequests(new Patron(HOME, Optional.of(guest), 70_000));
    }

    private static List<String> texts(List<PublishedPort> ports) {
        return ports.stream().map(PublishedPort::toString).toList();
    }

    /// I16: whoever connects to the host would have the sandbox's rights.
    @ParameterizedTest
    @ValueSource(strings = {"80", "8080:80", "8443:443", "3128", "5353:53", "0.0.0.0:8080:80"})
    void i16RefusesTheGatewaysOwnPorts(String asked) {
        assertThatThrownBy(() -> own().parse(List.of(asked)))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("the gateway's own");
    }

    @Test
    void takesOtherPortsOnce() throws OperationException {
        assertThat(texts(own().parse(List.of("3000", "80:3000", "3000:3000"))))
                .containsExactly("3000:3000", "80:3000");
    }

    /// Root opens no port for an account that the account could not open itself.
    @Test
    void aGuestGetsNoPortThatIsRoots() throws OperationException {
        assertThatThrownBy(() -> guest(1000).parse(List.of("80:3000")))
                .isInstanceOf(OperationException.class);
        assertThat(guest(1000).parse(List.of("8080:3000"))).hasSize(1);
        assertThat(guest(0).parse(List.of("80:3000"))).hasSize(1);
    }

    @Test
    void removesByTheHostsPortOrAsPublished() throws OperationException {
        List<PublishedPort> present = own().parse(List.of("8080:3000", "3000", "0.0.0.0:9:3000"));
        assertThat(texts(PortRequests.fewer(present, List.of("8080"))))
                .containsExactly("3000:3000", "0.0.0.0:9:3000");
        assertThat(texts(PortRequests.fewer(present, List.of("0.0.0.0:9:3000", "3000"))))
                .containsExactly("8080:3000");
        assertThatThrownBy(() -> PortRequests.fewer(present, List.of("3001")))
                .isInstanceOf(OperationException.class);
    }

    @Test
    void aSandboxHasSoManyAtMost() throws OperationException {
        List<String> many = IntStream.range(0, 32).mapToObj(i -> "" + (3000 + i)).toList();
        List<PublishedPort> present = own().parse(many);
        assertThat(own().more(present, List.of("3000"))).isEqualTo(present);
        assertThatThrownBy(() -> own().more(present, List.of("4000")))
                .isInstanceOf(OperationException.class);
    }
}
