package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ResolverTest {
    private static final HostName HOST = new HostName("git.example.com");
    private static final SessionId SESSION = SessionId.random();

    private static Resolver answering(String... addresses) {
        return answering(new Resolver.OwnAddresses(Set::of), addresses);
    }

    private static Resolver answering(Resolver.OwnAddresses own, String... addresses) {
        return new Resolver(
                _ -> {
                    InetAddress[] all = new InetAddress[addresses.length];
                    for (int i = 0; i < all.length; i++) {
                        all[i] = InetAddress.getByAddress(InetLiteral.bytes(addresses[i]));
                    }
                    return all;
                },
                own);
    }

    private static List<String> resolved(Resolver resolver) {
        return resolver.resolve(SESSION, HOST, 443, false).join().stream()
                .map(InetSocketAddress::getAddress)
                .map(InetAddress::getHostAddress)
                .toList();
    }

    @Test
    void keepsOnlyPublicAddresses() {
        assertThat(resolved(answering("10.0.0.1", "140.82.121.3", "127.0.0.1", "::1")))
                .containsExactly("140.82.121.3");
    }

    @Test
    void triesFewAddresses() {
        assertThat(resolved(answering("1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"))).hasSize(3);
    }

    @Test
    void e7YieldsNothingWhenEveryAddressIsInside() {
        Resolver resolver = answering("169.254.169.254", "::ffff:127.0.0.1", "fd00::1");
        assertThatThrownBy(() -> resolver.resolve(SESSION, HOST, 443, false).join())
                .hasCauseInstanceOf(UpstreamException.class);
    }

    /// E7, E9, E20: a name that its owner lets lead to this machine, by whatever address.
    @Test
    void e7_e9_e20NothingOfThisMachineIsReachedByAName() {
        Resolver.OwnAddresses own =
                new Resolver.OwnAddresses(
                        () -> Set.of(ofLiteral("1.1.1.1"), ofLiteral("10.0.0.5")));
        assertThat(resolved(answering(own, "1.1.1.1", "1.1.1.2"))).containsExactly("1.1.1.2");
        Resolver inside = answering(own, "10.0.0.5", "10.0.0.6");
        assertThat(inside.resolve(SESSION, HOST, 443, true).join())
                .containsExactly(new InetSocketAddress(ofLiteral("10.0.0.6"), 443));
        Resolver resolver = answering(own, "1.1.1.1");
        assertThatThrownBy(() -> resolver.resolve(SESSION, HOST, 443, false).join())
                .hasCauseInstanceOf(UpstreamException.class)
                .hasMessageContaining("address-not-allowed");
    }

    private static InetAddress ofLiteral(String address) {
        return InetAddress.ofLiteral(address);
    }

    @Test
    void e7ResolvesNothingWhenItCannotTellWhichAddressesAreItsOwn() {
        Resolver.OwnAddresses unknown =
                new Resolver.OwnAddresses(
                        () -> {
                            throw new SocketException("no such interface");
                        });
        Resolver resolver = answering(unknown, "1.1.1.1");
        assertThatThrownBy(() -> resolver.resolve(SESSION, HOST, 443, false).join())
                .hasCauseInstanceOf(UpstreamException.class);
    }

    @Test
    void knowsTheAddressesOfThisMachine() throws Exception {
        Resolver.OwnAddresses own = new Resolver.OwnAddresses();
        assertThat(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses))
                .contains(ofLiteral("127.0.0.1"))
                .allMatch(own::has);
        assertThat(own.has(ofLiteral("192.0.2.1"))).isFalse();
    }

    @Test
    void e9AsksOnceSoThatTheAddressCheckedIsTheAddressDialled() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Resolver resolver =
                new Resolver(
                        _ -> {
                            String next = asked.getAndIncrement() == 0 ? "1.1.1.1" : "127.0.0.1";
                            return new InetAddress[] {
                                InetAddress.getByAddress(InetLiteral.bytes(next))
                            };
                        });
        assertThat(
                        resolver.resolve(SESSION, HOST, 443, false)
                                .join()
                                .getFirst()
                                .getAddress()
                                .getHostAddress())
                .isEqualTo("1.1.1.1");
        assertThat(asked).hasValue(1);
    }

    @Test
    void aNameThatDoesNotExistIsUnreachable() {
        Resolver resolver =
                new Resolver(
                        name -> {
                            throw new UnknownHostException(name);
                        });
        assertThatThrownBy(() -> resolver.resolve(SESSION, HOST, 443, false).join())
                .hasCauseInstanceOf(UpstreamException.class);
    }
}
