package dev.sallyport.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.channel.MessagePipeline.MessageCodec;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Limits;
import dev.sallyport.config.LoginText;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Grants;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
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
                                            Optional.empty())),
                            Optional.of(
                                    new Message.Resolver(
                                            "192.0.2.53:853", "dns.example", Optional.empty()))),
                    new Message.Attach(
                            "0123456789abcdef",
                            "app",
                            new Message.Rights(
                                    List.of(
                                            Grants.standard("github.com/acme/app", "write"),
                                            Grants.unusual("github.com/acme/*")),
                                    List.of(Grants.unusualEgress("api.example.com")),
                                    true,
                                    GitSettings.STANDARD),
                            List.of(
                                    Message.HostSecret.stored(
                                            "github.com",
                                            "x-access-token",
                                            Secret.of("s€cret".getBytes(StandardCharsets.UTF_8)))),
                            List.of(
                                    new Message.InjectedSecret(
                                            "key",
                                            "api.example.com",
                                            Secret.of("k".getBytes(StandardCharsets.UTF_8)),
                                            Optional.of(
                                                    new Message.Renewable(
                                                            new LoginText(
                                                                    Secret.of(
                                                                            "r"
                                                                                    .getBytes(
                                                                                            StandardCharsets
                                                                                                    .UTF_8)),
                                                                    Optional.of(
                                                                            "2026-01-01T00:00:00Z"),
                                                                    "https://auth.example.com/token",
                                                                    "client",
                                                                    Optional.empty(),
                                                                    Optional.of("a b"),
                                                                    "json"),
                                                            "2026-01-01T00:00:00Z",
                                                            "00ff",
                                                            false,
                                                            Optional.empty(),
                                                            Optional.empty())))),
                            Optional.of(
                                    new Message.Authority(
                                            "PEM",
                                            Secret.of("x".getBytes(StandardCharsets.UTF_8)))),
                            new Message.Spent(1, 2, 3),
                            3,
                            List.of(ListenerKind.HTTP, ListenerKind.DNS_UDP),
                            List.of("it ends soon")),
                    new Message.Hosts(List.of()),
                    new Message.Ports(
                            "0123456789abcdef",
                            5,
                            List.of(new Message.Outward("127.64.1.2", 8443)),
                            List.of(new Message.Inward("127.0.0.1", 8080, 3000))),
                    new Message.Sockets("0123456789abcdef", 7, 64),
                    new Message.SocketsWanted("0123456789abcdef"),
                    new Message.Detach("0123456789abcdef"),
                    new Message.LoginStored("00ff", true),
                    new Message.LoginRenewed(
                            "0123456789abcdef",
                            "key",
                            "00ff",
                            Secret.of("k".getBytes(StandardCharsets.UTF_8)),
                            Optional.empty(),
                            Optional.empty()),
                    new Message.Lend("0123456789abcdef", "github.com/acme/app", "/d"),
                    new Message.Ask("0123456789abcdef", "a".repeat(32), question()),
                    new Message.Withdraw("0123456789abcdef", "a".repeat(32)),
                    new Message.Answered("a".repeat(32), "0".repeat(64), Outcome.YES, "go on"),
                    new Message.Ready(),
                    new Message.Attached("0123456789abcdef"),
                    new Message.Used("0123456789abcdef", 1, 2, 3, 4),
                    new Message.Figures(List.of(1L, 2L), List.of(3L)),
                    new Message.Lent("0123456789abcdef", true),
                    new Message.Lending("0123456789abcdef", 1 << 20, 50),
                    new Message.PublicPort(
                            "PEM",
                            Secret.of("x".getBytes(StandardCharsets.UTF_8)),
                            List.of("PEM"),
                            List.of("AAAA"),
                            List.of("0011223344556677"),
                            true,
                            9,
                            1),
                    new Message.PublicPortClosed(),
                    new Message.Badges(
                            "0123456789abcdef",
                            List.of(new Message.Badge("0".repeat(64), "2026-01-01T00:00:00Z"))),
                    new Message.Reply(7, 200, "{}"),
                    new Message.Carry("0123456789abcdef", true),
                    new Message.Certified(
                            "0123456789abcdef", "AAAA", "PEM", "192.0.2.1:8443", List.of("PEM")),
                    new Message.Line("0123456789abcdef", "gone", 4, 1),
                    new Message.LineWanted("0123456789abcdef"),
                    new Message.Knock(7, "request"),
                    new Message.CertificateWanted("0123456789abcdef", "AAAA", ""),
                    new Message.CarriedBy("0123456789abcdef", "gone", true),
                    new Message.PortUsed("0123456789abcdef", 8_080, 3_000, 1, 2, 3));

    private final MessageCodec codec = new MessageCodec();

    private static Question question() {
        return new Question(
                "push",
                "github.com/acme/app",
                "agent/fix",
                List.of("every push is asked about"),
                "0".repeat(64),
                10,
                Question.Detail.of(
                        new Question.Push(
                                List.of(new Question.Command("agent/fix", "0", "1")),
                                List.of(),
                                List.of(new Question.Commit("1", "Ann", "Fix")),
                                1,
                                List.of(new Question.Change("a.txt", 1, 0)),
                                1,
                                "+a",
                                true)));
    }

    @Test
    void everyMessageSurvivesTheJourney() throws IOException {
        for (Message message : ONE_OF_EACH) {
            assertThat(codec.decode(codec.encode(message))).isEqualTo(message);
        }
    }

    @Test
    void theListAboveHasEveryPermittedMessage() {
        assertThat(ONE_OF_EACH.stream().map(Object::getClass).toList())
                .hasSameElementsAs(MessageCodec.records(Message.class).toList());
    }

    @Test
    void noMessageMayBeSentInBothDirections() {
        assertThat(MessageCodec.records(Message.class).toList())
                .isNotEmpty()
                .noneMatch(
                        type ->
                                Message.ToGateway.class.isAssignableFrom(type)
                                        && Message.ToWarden.class.isAssignableFrom(type));
    }

    @Test
    void onlyTheseKindsOfMessageMayComeToTheWarden() {
        assertThat(
                        ONE_OF_EACH.stream()
                                .filter(m -> m.direction() == Message.Direction.TO_WARDEN)
                                .map(m -> m.getClass().getSimpleName())
                                .toList())
                .containsExactly(
                        "SocketsWanted",
                        "LoginRenewed",
                        "Ask",
                        "Withdraw",
                        "Ready",
                        "Attached",
                        "Used",
                        "Figures",
                        "Lent",
                        "Lending",
                        "LineWanted",
                        "Knock",
                        "CertificateWanted",
                        "CarriedBy",
                        "PortUsed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"session\":\"0\"}",
                "{\"type\":\"Shutdown\"}",
                "{\"type\":\"dev.sallyport.channel.Message$Ready\"}",
                "{\"type\":\"ready\"}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4,\"requests\":null}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4,\"requests\":\"1\"}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4,\"requests\":1.5}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4,\"requests\":1,\"requests\":2}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4,\"requests\":1,\"more\":true}",
                "{\"type\":\"Used\",\"session\":\"0\",\"bytesUp\":2,\"bytesDown\":3,\"pushes\":4,\"requests\":1}{}",
                "{\"type\":\"Detach\",\"session\":null}",
                "{\"type\":\"Detach\",\"session\":{}}",
                "{\"type\":\"Attach\",\"session\":\"0\",\"sandbox\":\"\",\"grants\":[{}],\"secrets\":[],\"firstDescriptor\":0,\"listeners\":[]}",
            })
    void anythingButAnExactMessageIsAnError(String json) {
        assertThatThrownBy(() -> codec.decode(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    /// G20: a list that is lost on the way must not become the absent one, which allows everything.
    @Test
    void aGrantWithoutOneOfItsPropertiesIsAnError() {
        Message attach =
                new Message.Attach(
                        "0123456789abcdef",
                        "app",
                        new Message.Rights(
                                List.of(Grants.unusual("github.com/acme/app")),
                                List.of(),
                                false,
                                GitSettings.STANDARD),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new Message.Spent(0, 0, 0),
                        0,
                        List.of(),
                        List.of());
        String whole = new String(codec.encode(attach), StandardCharsets.UTF_8);
        for (RecordComponent component : GrantText.class.getRecordComponents()) {
            String property = "\"" + component.getName() + "\":";
            assertThat(whole).contains(property);
            byte[] renamed = whole.replace(property, "\"x\":").getBytes(StandardCharsets.UTF_8);
            byte[] missing = without(whole, property).getBytes(StandardCharsets.UTF_8);
            assertThatThrownBy(() -> codec.decode(renamed)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> codec.decode(missing)).isInstanceOf(IOException.class);
        }
    }

    private static String without(String json, String property) {
        return json.replaceFirst(
                        Pattern.quote(property) + "(\\[[^]]*]|\\{[^}]*}|\"[^\"]*\"|[a-z0-9]+),?",
                        "")
                .replace(",}", "}");
    }

    @Test
    void aMessageThatIsTooLargeIsNotWritten() {
        Message message = new Message.Detach("x".repeat(MessageCodec.MESSAGE_BYTES_MAX));
        assertThatThrownBy(() -> codec.encode(message))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
