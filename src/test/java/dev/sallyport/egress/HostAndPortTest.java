package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.HostName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// There is one way to write a host and a port.
final class HostAndPortTest {
    private static final HostName HOST = new HostName("host.example");

    @Test
    void readsHostAndPort() {
        assertThat(ProxyDoor.HostAndPort.parse("host.example:8443", 443))
                .contains(new ProxyDoor.HostAndPort(HOST, 8443));
        assertThat(ProxyDoor.HostAndPort.parse("HOST.Example", 443))
                .contains(new ProxyDoor.HostAndPort(HOST, 443));
        assertThat(ProxyDoor.HostAndPort.parse("host.example", 80))
                .contains(new ProxyDoor.HostAndPort(HOST, 80));
        assertThat(ProxyDoor.HostAndPort.parseWithPort("host.example:1"))
                .contains(new ProxyDoor.HostAndPort(HOST, 1));
        assertThat(ProxyDoor.HostAndPort.parseWithPort("host.example:65535"))
                .contains(new ProxyDoor.HostAndPort(HOST, 65_535));
        assertThat(ProxyDoor.HostAndPort.parse("xn--hst-sna.example:443", 443)).isPresent();
    }

    @Test
    void wantsAPortWhereOneMustBe() {
        assertThat(ProxyDoor.HostAndPort.parseWithPort("host.example")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":443",
                "host:443",
                "host.example:",
                "host.example:0",
                "host.example:00443",
                "host.example:0443",
                "host.example:65536",
                "host.example:99999",
                "host.example:443443",
                "host.example:-1",
                "host.example:+443",
                "host.example: 443",
                "host.example:443 ",
                "host.example:443:443",
                "host.example:https",
                "host.example:0x1bb",
                "host.example:\u0664\u0664\u0663",
                "host.example.:443",
                "host.example\u0000:443",
                "host.example\u0000.evil.example:443",
                "host.example\r\n:443",
                "\thost.example:443",
                "host%2eexample:443",
                "host.example%00:443",
                "user@host.example:443",
                "user:word@host.example:443",
                "@host.example:443",
                "host.example/:443",
                "http://host.example:443",
                "host.example#:443",
                "host.example\\:443",
                "h\u00f6st.example:443",
                "\u212aelvin.example:443",
                "host\u3002example:443",
                "\uff28ost.example:443",
                "127.0.0.1:443",
                "127.1:443",
                "0177.0.0.1:443",
                "0x7f000001:443",
                "0x7f.0.0.1:443",
                "2130706433:443",
                "192.0.2.1.:443",
                "[::1]:443",
                "[::ffff:192.0.2.1]:443",
                "[fe80::1%25eth0]:443",
                "::1:443",
                "host_name.example:443",
                "*.example.com:443"
            })
    void e2_e7_e8_refusesEveryOtherSpelling(String text) {
        assertThat(ProxyDoor.HostAndPort.parse(text, 443)).isEmpty();
        assertThat(ProxyDoor.HostAndPort.parseWithPort(text)).isEmpty();
    }
}
