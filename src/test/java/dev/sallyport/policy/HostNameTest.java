package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "github.com",
                "git.corp.example",
                "a.b",
                "1password.com",
                "xn--bcher-kva.example",
                "a-b--c.example",
                "10.0.0.1.example",
                "0x7f.example"
            })
    void takesCanonicalNames(String name) throws MalformedNameException {
        assertThat(HostName.parse(name).value()).isEqualTo(name);
    }

    /// E7: whatever some resolver would read as an address.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.1",
                "127.0.1",
                "2130706433",
                "0177.0.0.1",
                "0x7f.0.0.1",
                "0x7f000001",
                "127.0.0.0x1",
                "a.0x",
                "example.1",
                "1.2.3.4.5",
                "0",
                "::1",
                "[::1]",
                "::ffff:127.0.0.1",
                "fe80::1%eth0",
                "64:ff9b::7f00:1",
                "127.0.0.1.",
                "127。0。0。1",
                "１２７.0.0.1"
            })
    void refusesAddressesInEverySpelling(String text) {
        refused(text);
    }

    /// E8 and E2: other spellings of an allowed name, and bytes that split or end it.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "github.com.",
                ".github.com",
                "github..com",
                "GitHub.com",
                "github.COM",
                "github.com\0",
                "github.com\0.evil.example",
                "github.com\n",
                "github.com\r\n",
                "\ngithub.com",
                " github.com",
                "github.com ",
                "github.com:443",
                "github.com/",
                "user@github.com",
                "github.com#",
                "github.com?x",
                "github%2ecom",
                "github。com",
                "gith\u00fcb.com",
                "g\u0456thub.com",
                "github\u00ad.com",
                "github.c\u200bom",
                "git\u212aub.com",
                "-github.com",
                "github-.com",
                "git_hub.com",
                "*.github.com",
                "localhost",
                "com"
            })
    void refusesOtherSpellings(String text) {
        refused(text);
    }

    @Test
    void boundsLabelsAndTheWhole() throws MalformedNameException {
        HostName.parse("a".repeat(63) + ".example");
        refused("a".repeat(64) + ".example");
        String label = "a".repeat(49) + ".";
        assertThat(HostName.parse(label.repeat(5) + "abc").value()).hasSize(253);
        refused(label.repeat(5) + "abcd");
    }

    private static void refused(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> HostName.parse(text));
        assertThatIllegalArgumentException().isThrownBy(() -> new HostName(text));
    }
}
