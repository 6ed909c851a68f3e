package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.MalformedNameException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PublishedPortTest {
    @Test
    void isOnBothLoopbackAddressesUnlessItSaysAnother() throws MalformedNameException {
        PublishedPort same = PublishedPort.parse("3000");
        assertThat(same).isEqualTo(new PublishedPort(Optional.empty(), 3000, 3000));
        assertThat(same.addresses()).containsExactly("127.0.0.1", "::1");
        assertThat(PublishedPort.parse("8080:3000"))
                .isEqualTo(new PublishedPort(Optional.empty(), 8080, 3000));
        assertThat(PublishedPort.parse("0.0.0.0:8080:3000").addresses()).containsExactly("0.0.0.0");
    }

    @ParameterizedTest
    @CsvSource({
        "3000,false",
        "127.0.0.1:1:1,false",
        "127.5.0.1:1:1,false",
        "[::1]:1:1,false",
        "0.0.0.0:1:1,true",
        "[::]:1:1,true",
        "192.0.2.1:1:1,true"
    })
    void knowsWhetherOtherMachinesReachIt(String text, boolean open) throws MalformedNameException {
        PublishedPort port = PublishedPort.parse(text);
        assertThat(port.isOpen()).isEqualTo(open);
        assertThat(PublishedPort.parse(port.toString())).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "0",
                "3000:",
                ":3000",
                "03000",
                "+3000",
                "65536",
                "1:2:3",
                "host.example:1:2",
                "::1:1:2",
                "[127.0.0.1]:1:2",
                "127.1:1:2",
                "[::ffff:127.0.0.1]:1:2",
                "[fe80::1%lo]:1:2",
                "0.0.0.0:1:2/udp",
                "1:2:3:4"
            })
    void refusesOtherSpellings(String text) {
        assertThatThrownBy(() -> PublishedPort.parse(text))
                .isInstanceOf(MalformedNameException.class);
    }
}
