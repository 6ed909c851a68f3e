package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

final class HostAndPortFuzz {
    @FuzzTest
    void hasOneSpelling(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        Optional<ProxyDoor.HostAndPort> authority = ProxyDoor.HostAndPort.parse(text, 443);
        if (authority.isEmpty()) {
            assertThat(ProxyDoor.HostAndPort.parseWithPort(text)).isEmpty();
            return;
        }
        ProxyDoor.HostAndPort found = authority.get();
        assertThat(found.port()).isBetween(1, 65_535);
        assertThat(found.host().value())
                .matches("[a-z0-9-]+(\\.[a-z0-9-]+)*\\.[a-z0-9-]*[a-z-][a-z0-9-]*");
        assertThat(text).matches("[!-~]+");
        boolean written = text.indexOf(':') >= 0;
        assertThat(text.toLowerCase(Locale.ROOT))
                .isEqualTo(written ? found.toString() : found.host().value());
        assertThat(ProxyDoor.HostAndPort.parseWithPort(text).isPresent()).isEqualTo(written);
        assertThat(ProxyDoor.HostAndPort.parse(found.toString(), 1)).isEqualTo(authority);
    }
}
