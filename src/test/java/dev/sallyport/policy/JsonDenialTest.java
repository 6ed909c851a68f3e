package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// E16.
class JsonDenialTest {
    @ParameterizedTest
    @CsvSource({
        "type=url, type, url, true",
        "type=url, TYPE, url, true",
        "type=url, type, URL, false",
        "type=url, type, urls, false",
        "type=url, types, url, false",
        "type=web_*, type, web_fetch, true",
        "type=web_*, type, my_web_fetch, false",
        "type=*fetch*, type, my_web_fetch_1, true",
        "type=*, type, anything, true"
    })
    void deniesTextByItsPattern(String denial, String name, String text, boolean denied)
            throws MalformedNameException {
        assertThat(JsonRules.JsonDenial.parse(denial).denies(name, text)).isEqualTo(denied);
    }

    @ParameterizedTest
    @CsvSource({
        "tools=*, tools, true",
        "tools=*, Tools, true",
        "tools=*, tool, false",
        "tools=a*, tools, false"
    })
    void deniesAMemberAltogether(String denial, String name, boolean denied)
            throws MalformedNameException {
        assertThat(JsonRules.JsonDenial.parse(denial).deniesMember(name)).isEqualTo(denied);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "=", "type", "type=", "=url", "a=b=c"})
    void refusesOtherForms(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> JsonRules.JsonDenial.parse(text));
    }
}
