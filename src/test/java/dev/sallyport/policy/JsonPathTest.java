package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonPathTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a.b-c_d",
                "a[]",
                "a[].b",
                "a[][].b",
                "a[].b.c[type=x*]",
                "**.a",
                "**.a[]",
                "**.a[b=c]",
                "a[=x.y*]"
            })
    void isWrittenAsItIsRead(String text) throws MalformedNameException {
        assertThat(JsonPath.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                ".a",
                "a.",
                "a..b",
                "a b",
                "[]",
                "[].a",
                "a[",
                "a]",
                "a[]b",
                "a[x]",
                "a[x=]",
                "a[x=y].b",
                "a[x=y][]",
                "a=b",
                "a[x=y=z]",
                "a.[]",
                "**",
                "**.",
                "**.a.b",
                "**.a[].b",
                "a.**.b",
                "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"
            })
    void nothingElseIsOne(String text) {
        assertThatThrownBy(() -> JsonPath.parse(text)).isInstanceOf(MalformedNameException.class);
    }
}
