package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class InetLiteralTest {
    @Test
    void readsBothFamilies() {
        assertThat(InetLiteral.socketAddress("127.0.0.1:8443").getPort()).isEqualTo(8443);
        assertThat(InetLiteral.socketAddress("[::1]:443").getAddress().getAddress()).hasSize(16);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "127.0.0.1",
                "localhost:443",
                "git.example:443",
                "127.1:443",
                "0x7f.0.0.1:443",
                "::1:443",
                "[::1%lo]:443",
                "127.0.0.1:0",
                "127.0.0.1:65536",
                "127.0.0.1:+1",
                "127.0.0.1:1 "
            })
    void refusesWhatIsNotAnAddressAndAPort(String text) {
        assertThatThrownBy(() -> InetLiteral.socketAddress(text))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
