package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.HostName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ResolverTest {
    private static final HostName HOST = new HostName("git.example.com");

    private static Resolver answering(String... addresses) {
        return new Resolver(
                _ -> {
                    InetAddress[] all = new InetAddress[addresses.length];
                    for (int i = 0; i < all.length; i++) {
                        all[i] = InetAddress.getByAddress(InetLiteral.bytes(addresses[i]));
                    }
                    return all;
                });
    }

    private static List<String> resolved(Resolver resolver) {
        return resolver.resolve(HOST).join().stream()
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
        assertThatThrownBy(() -> resolver.resolve(HOST).join())
                .hasCauseInstanceOf(UpstreamException.class);
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
        assertThat(resolver.resolve(HOST).join().getFirst().getAddress().getHostAddress())
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
        assertThatThrownBy(() -> resolver.resolve(HOST).join())
                .hasCauseInstanceOf(UpstreamException.class);
    }
}
