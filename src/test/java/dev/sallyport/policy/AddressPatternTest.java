package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPatternTest {
    private static boolean matches(String pattern, String address) throws MalformedNameException {
        return AddressPattern.parse(pattern).matches(address);
    }

    @ParameterizedTest
    @CsvSource({
        "*@bots.example, agent@bots.example",
        "*@bots.example, Agent+1@BOTS.example",
        "*@Bots.Example, a@bots.example",
        "me@corp.example, ME@corp.example",
        "o'brien@corp.example, o'brien@corp.example",
        "41898282+github-actions[bot]@users.noreply.github.com, 41898282+github-actions[bot]@users.noreply.github.com",
        "root@localhost, root@localhost",
    })
    void coversTheWholeAddressIgnoringCase(String pattern, String address)
            throws MalformedNameException {
        assertThat(matches(pattern, address)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "*@bots.example, bots.example",
        "*@bots.example, @bots.example",
        "*@bots.example, a@sub.bots.example",
        "*@bots.example, a@evil-bots.example",
        "*@bots.example, a@bots.example.evil",
        "*@bots.example, a@b@bots.example",
        "*@bots.example, *@bots.example",
        "*@bots.example, 'a b@bots.example'",
        "*@bots.example, '<a@bots.example'",
        "*@bots.example, ' @bots.example'",
        "*@bots.example, '\u0430@bots.example'",
        "*@bots.example, 'a@bots.example '",
        "*@korp.example, a@\u212aorp.example",
        "kim@korp.example, \u212aim@korp.example",
        "me@corp.example, you@corp.example",
        "me@corp.example, me@corp.example.evil",
        "me@corp.example, ''",
    })
    void coversNothingElse(String pattern, String address) throws MalformedNameException {
        assertThat(matches(pattern, address)).isFalse();
    }

    @Test
    void coversNoAddressWithLineEndsOrOfGreatLength() throws MalformedNameException {
        assertThat(matches("*@bots.example", "a@bots.example\n")).isFalse();
        assertThat(matches("*@bots.example", "a\n@bots.example")).isFalse();
        assertThat(matches("*@bots.example", "a".repeat(65) + "@bots.example")).isFalse();
        assertThat(matches("*@bots.example", "a".repeat(1_000_000) + "@bots.example")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "@",
                "a",
                "@a.example",
                "*@",
                "**@a.example",
                "a*@a.example",
                "*@*.example",
                "*@.example",
                "*@a..example",
                "*@a.example.",
                "a@b@c",
                "A <a@a.example>",
                "a b@a.example",
                "a@a.example\n",
                "\u00e9@a.example",
                "a@\u00e9.example",
            })
    void refusesWhatIsNeitherAnAddressNorADomain(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> AddressPattern.parse(text));
        assertThatIllegalArgumentException().isThrownBy(() -> new AddressPattern(text));
    }
}
