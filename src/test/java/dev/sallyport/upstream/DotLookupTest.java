package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.SecureResolver;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Against a resolver of the test's own, behind real TLS.
class DotLookupTest {
    private static final String RESOLVER = "dns.example";

    private final TestPki pki = new TestPki();
    private DotServer server;

    @BeforeEach
    void start() throws IOException {
        server = new DotServer(pki.server(RESOLVER), "192.0.2.7");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private DotLookup lookup(String name) {
        return DotLookup.of(
                new SecureResolver(server.dial(), new HostName(name), Optional.of(pki.caPem())));
    }

    @Test
    void takesTheAddressesOfBothFamilies() throws Exception {
        InetAddress[] found = lookup(RESOLVER).all("a.example.com");
        assertThat(Arrays.stream(found).map(InetAddress::getHostAddress))
                .containsExactly("192.0.2.7", "2001:db8:0:0:0:0:0:7");
        assertThat(server.asked).containsExactly("a.example.com.", "a.example.com.");
    }

    @Test
    void asksNobodyWhoseCertificateIsForAnotherName() throws Exception {
        DotLookup wrong = lookup("other.example");
        assertThatThrownBy(() -> wrong.all("a.example.com"))
                .isInstanceOf(UnknownHostException.class);
        assertThat(server.asked).isEmpty();
    }

    /// I8: nothing of the environment stands between us and the resolver.
    @Test
    void i8AsksThroughNoProxy() throws Exception {
        System.setProperty("socksProxyHost", "127.0.0.1");
        System.setProperty("socksProxyPort", "1");
        System.setProperty("socksNonProxyHosts", "");
        try {
            assertThat(lookup(RESOLVER).all("a.example.com")).hasSize(2);
        } finally {
            System.clearProperty("socksProxyHost");
            System.clearProperty("socksProxyPort");
            System.clearProperty("socksNonProxyHosts");
        }
    }

    @Test
    void anAnswerToAnotherQueryOrAnErrorIsNoAddress() throws Exception {
        server.idOffset = 1;
        assertThatThrownBy(() -> lookup(RESOLVER).all("a.example.com"))
                .isInstanceOf(UnknownHostException.class);
        server.idOffset = 0;
        server.code = 3;
        assertThatThrownBy(() -> lookup(RESOLVER).all("a.example.com"))
                .isInstanceOf(UnknownHostException.class);
    }
}
