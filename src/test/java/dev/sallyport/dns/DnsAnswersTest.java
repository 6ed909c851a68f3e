package dev.sallyport.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.NameTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// P8, E5: every answer comes from the policy, and nothing is ever forwarded.
final class DnsAnswersTest {
    private static final int NO_ERROR = 0;
    private static final int FORMAT_ERROR = 1;
    private static final int NO_SUCH_NAME = 3;

    private final List<AuditEvent> recorded = new ArrayList<>();
    private final DnsAnswers answers = answers(recorded);

    static DnsAnswers answers(List<AuditEvent> recorded) {
        LiveSession session = session();
        return new DnsAnswers(
                () -> session,
                new NameTable(100),
                event -> {
                    recorded.add(event);
                    return CompletableFuture.completedFuture(null);
                });
    }

    private static LiveSession session() {
        SessionId id = new SessionId("00000000000000aa");
        try {
            RepoGrant grant =
                    new RepoGrant(
                            RepoPattern.parse("github.com/acme/app"),
                            Access.READ,
                            RefVisibility.all(),
                            PushRules.standard());
            return LiveSessions.of(
                    id, "test", new Policy(id, List.of(grant)), new CredentialBook(List.of()));
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    private Optional<ByteBuf> ask(ByteBuf query) {
        try {
            return answers.answer(query, ByteBufAllocator.DEFAULT);
        } finally {
            query.release();
        }
    }

    private ByteBuf asked(String name, int type) {
        return ask(Queries.of(name, type, false)).orElseThrow();
    }

    private static int code(ByteBuf reply) {
        return reply.getUnsignedShort(2) & 0xf;
    }

    private static int answerCount(ByteBuf reply) {
        return reply.getUnsignedShort(6);
    }

    private static String addressIn(ByteBuf reply) {
        int at = reply.writerIndex() - 4;
        return reply.getUnsignedByte(at)
                + "."
                + reply.getUnsignedByte(at + 1)
                + "."
                + reply.getUnsignedByte(at + 2)
                + "."
                + reply.getUnsignedByte(at + 3);
    }

    @Test
    void givesTheGatewayItsLoopbackAddress() {
        ByteBuf reply = asked("gateway.sallyport", 1);
        assertThat(code(reply)).isEqualTo(NO_ERROR);
        assertThat(answerCount(reply)).isEqualTo(1);
        assertThat(addressIn(reply)).isEqualTo("127.0.0.1");
    }

    @Test
    void givesAnAllowedHostItsOwnStableAddress() {
        String first = addressIn(asked("github.com", 1));
        assertThat(first).isEqualTo(addressIn(asked("github.com", 1)));
        int second = Integer.parseInt(first.split("\\.", -1)[1]);
        assertThat(first).startsWith("127.");
        assertThat(second).isBetween(64, 127);
        assertThat(recorded).isEmpty();
    }

    @Test
    void echoesTheQuestionInTheCaseItWasSent() {
        ByteBuf query = Queries.of("GiThUb.CoM", 1, false);
        ByteBuf sent = query.copy(12, query.readableBytes() - 12);
        ByteBuf reply = ask(query).orElseThrow();
        assertThat(code(reply)).isEqualTo(NO_ERROR);
        assertThat(reply.slice(12, sent.readableBytes())).isEqualTo(sent);
    }

    @Test
    void e4_hasNoDataOfOtherTypesForKnownNames() {
        for (int type : new int[] {28, 15, 16, 5, 33, 65, 255, 252}) {
            ByteBuf reply = asked("github.com", type);
            assertThat(code(reply)).isEqualTo(NO_ERROR);
            assertThat(answerCount(reply)).isZero();
        }
    }

    @Test
    void e5_e8_deniesEveryOtherNameAndRecordsItOnce() {
        for (String name :
                List.of(
                        "example.com",
                        "evil.github.com",
                        "github.com.evil.example",
                        "host.docker.internal",
                        "secret-data.attacker.example",
                        "_dns.resolver.arpa")) {
            for (int i = 0; i < 3; i++) {
                ByteBuf reply = asked(name, 1);
                assertThat(code(reply)).as(name).isEqualTo(NO_SUCH_NAME);
                assertThat(answerCount(reply)).isZero();
            }
        }
        assertThat(recorded)
                .hasSize(6)
                .allMatch(e -> e.kind().equals("dns.denied") && e.decision().equals("deny"));
    }

    @Test
    void saysWhyInAnExtendedErrorWhenTheClientSpeaksEdns() {
        ByteBuf reply = ask(Queries.of("example.com", 1, true)).orElseThrow();
        assertThat(code(reply)).isEqualTo(NO_SUCH_NAME);
        assertThat(reply.getUnsignedShort(10)).isEqualTo(1);
        String text = reply.toString(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(text).contains("\0\u000f").endsWith("http://gateway.sallyport/policy");
        ByteBuf plain = asked("example.com", 1);
        assertThat(plain.getUnsignedShort(10)).isZero();
    }

    @Test
    void e5_boundsTheTableOfDeniedNames() {
        for (int i = 0; i < DnsAnswers.DeniedNames.NAMES_MAX + 500; i++) {
            asked("n" + i + ".example", 1).release();
        }
        assertThat(recorded).hasSize(DnsAnswers.DeniedNames.NAMES_MAX + 1);
        assertThat(recorded.getLast().kind()).isEqualTo("dns.overflow");
    }

    @Test
    void e2_findsNameBytesThatAreNotOfAHostNameMalformed() {
        for (String label : List.of("git\0hub", "git hub", "a.b", "gith\u00fcb", "a\nb", "a/b")) {
            ByteBuf reply = ask(Queries.ofLabels(List.of(label, "com"), 1)).orElseThrow();
            assertThat(code(reply)).as(label).isEqualTo(FORMAT_ERROR);
        }
        assertThat(recorded).isEmpty();
    }

    @Test
    void p12_findsCompressionAndBrokenCountsMalformed() {
        ByteBuf loop = Queries.header(1, 0).writeShort(0xC00C).writeShort(1).writeShort(1);
        ByteBuf cut = Queries.header(1, 0).writeByte(63).writeBytes(new byte[10]);
        ByteBuf endless = Queries.header(1, 0);
        for (int i = 0; i < 10; i++) {
            endless.writeByte(63)
                    .writeBytes(
                            "a".repeat(63).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }
        endless.writeByte(0).writeInt(0x00010001);
        ByteBuf two = Queries.of("github.com", 1, false).setShort(4, 2);
        ByteBuf none = Queries.header(0, 0);
        ByteBuf answer = Queries.of("github.com", 1, false).setShort(6, 1);
        ByteBuf trailing = Queries.of("github.com", 1, false).writeByte(7);
        ByteBuf noOpt = Queries.of("github.com", 1, false).setShort(10, 1);
        for (ByteBuf query : List.of(loop, cut, endless, two, none, answer, trailing, noOpt)) {
            assertThat(code(ask(query).orElseThrow())).isEqualTo(FORMAT_ERROR);
        }
    }

    @Test
    void staysSilentToAnswersAndFragments() {
        assertThat(ask(Queries.of("github.com", 1, false).setShort(2, 0x8180))).isEmpty();
        assertThat(ask(Unpooled.wrappedBuffer(new byte[11]))).isEmpty();
        assertThat(ask(Unpooled.buffer(0))).isEmpty();
    }

    @Test
    void takesOnlyQueriesOfTheInternet() {
        ByteBuf update = Queries.of("github.com", 1, false).setShort(2, 5 << 11);
        assertThat(code(ask(update).orElseThrow())).isEqualTo(4);
        ByteBuf chaos = Queries.of("github.com", 1, false);
        chaos.setShort(chaos.writerIndex() - 2, 3);
        assertThat(code(ask(chaos).orElseThrow())).isEqualTo(5);
    }

    @Test
    void p12_survivesMutatedQueries() {
        Random random = new Random(20_260_101);
        for (int i = 0; i < 20_000; i++) {
            ByteBuf query = Queries.of("github.com", 1, i % 2 == 0);
            for (int n = random.nextInt(4); n >= 0; n--) {
                query.setByte(random.nextInt(query.writerIndex()), random.nextInt(256));
            }
            query.writerIndex(query.writerIndex() - random.nextInt(3));
            ask(query).ifPresent(ByteBuf::release);
        }
        assertThat(recorded).hasSizeLessThanOrEqualTo(DnsAnswers.DeniedNames.NAMES_MAX + 1);
    }
}
