package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

final class AuthorityFuzz {
    @FuzzTest
    void hasOneSpelling(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        Optional<Authority> authority = Authority.parse(text, 443);
        if (authority.isEmpty()) {
            assertThat(Authority.parseWithPort(text)).isEmpty();
            return;
        }
        Authority found = authority.get();
        assertThat(found.port()).isBetween(1, 65_535);
        assertThat(found.host().value())
                .matches("[a-z0-9-]+(\\.[a-z0-9-]+)*\\.[a-z0-9-]*[a-z-][a-z0-9-]*");
        assertThat(text).matches("[!-~]+");
        boolean written = text.indexOf(':') >= 0;
        assertThat(text.toLowerCase(Locale.ROOT))
                .isEqualTo(written ? found.toString() : found.host().value());
        assertThat(Authority.parseWithPort(text).isPresent()).isEqualTo(written);
        assertThat(Authority.parse(found.toString(), 1)).isEqualTo(authority);
    }
}
