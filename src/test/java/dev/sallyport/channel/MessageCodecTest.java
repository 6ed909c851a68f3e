package dev.sallyport.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageCodecTest {
    private static final List<Message> ONE_OF_EACH =
            List.of(
                    new Message.Configure(
                            Limits.standard(),
                            List.of(
                                    new Message.Host(
                                            "git.example.com",
                                            "plain",
                                            Optional.of("PEM"),
                                            Optional.empty()))),
                    new Message.Attach(
                            "0123456789abcdef",
                            "app",
                            List.of(
                                    new Message.Grant(
                                            "github.com/acme/app",
                                            "write",
                                            List.of("agent/**"),
                                            false,
                                            false,
                                            1L << 30)),
                            List.of(
                                    new Message.HostSecret(
                                            "github.com",
                                            "x-access-token",
                                            Secret.of("s€cret".getBytes(StandardCharsets.UTF_8)))),
                            3,
                            List.of(ListenerKind.HTTP, ListenerKind.DNS_UDP)),
                    new Message.Detach("0123456789abcdef"),
                    new Message.Recorded(7),
                    new Message.NotRecorded(8),
                    new Message.Ready(),
                    new Message.Attached("0123456789abcdef"),
                    new Message.RecordEvent(
                            9,
                            new AuditEvent(
                                    "git.request", "0123456789abcdef", "deny", Map.of("a", "b"))),
                    new Message.Used("0123456789abcdef", 1, 2, 3));

    private final MessageCodec codec = new MessageCodec();

    @Test
    void everyMessageSurvivesTheJourney() throws IOException {
        for (Message message : ONE_OF_EACH) {
            assertThat(codec.decode(codec.encode(message))).isEqualTo(message);
        }
    }

    @Test
    void theListAboveHasEveryPermittedMessage() {
        assertThat(ONE_OF_EACH.stream().map(Object::getClass).toList())
                .hasSameElementsAs(Arrays.asList(Message.class.getPermittedSubclasses()));
    }

    @Test
    void onlyFourKindsOfMessageMayComeFromTheGateway() {
        assertThat(
                        ONE_OF_EACH.stream()
                                .filter(m -> m.direction() == Message.Direction.TO_WARDEN)
                                .map(m -> m.getClass().getSimpleName())
                                .toList())
                .containsExactly("Ready", "Attached", "RecordEvent", "Used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"ticket\":1}",
                "{\"type\":\"Shutdown\"}",
                "{\"type\":\"dev.sallyport.channel.Message$Ready\"}",
                "{\"type\":\"recorded\",\"ticket\":1}",
                "{\"type\":\"Recorded\"}",
                "{\"type\":\"Recorded\",\"ticket\":null}",
                "{\"type\":\"Recorded\",\"ticket\":\"1\"}",
                "{\"type\":\"Recorded\",\"ticket\":1.5}",
                "{\"type\":\"Recorded\",\"ticket\":1,\"ticket\":2}",
                "{\"type\":\"Recorded\",\"ticket\":1,\"more\":true}",
                "{\"type\":\"Recorded\",\"ticket\":1}{}",
                "{\"type\":\"Detach\",\"session\":null}",
                "{\"type\":\"Detach\",\"session\":{}}",
            })
    void anythingButAnExactMessageIsAnError(String json) {
        assertThatThrownBy(() -> codec.decode(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anEventOfAnImpossibleKindIsAnError() {
        String json =
                "{\"type\":\"RecordEvent\",\"ticket\":1,\"event\":{\"kind\":\"Forged\\n\",\"session\":\"\",\"decision\":\"\",\"detail\":{}}}";
        assertThatThrownBy(() -> codec.decode(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aMessageThatIsTooLargeIsNotWritten() {
        Message message = new Message.Detach("x".repeat(MessageCodec.MESSAGE_BYTES_MAX));
        assertThatThrownBy(() -> codec.encode(message))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
