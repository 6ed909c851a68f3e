package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Objection;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PushCommandParserTest {
    private static final Limits.Git LIMITS = new Limits.Git(1 << 20, 1 << 20, 4, 4_096);
    private static final String A = "a".repeat(40);
    private static final String B = "b".repeat(40);
    private static final String ZERO = "0".repeat(40);
    private static final String CAPS =
            "\0 report-status-v2 side-band-64k object-format=sha1 agent=git/2.39.5";

    private static ByteBuf wire(String... lines) {
        ByteBuf out = Unpooled.buffer();
        for (String line : lines) {
            PktLine.write(out, line.getBytes(StandardCharsets.ISO_8859_1));
        }
        PktLine.writeFlush(out);
        return out;
    }

    private static PushCommands parse(ByteBuf wire) throws RefusedException {
        PushCommandParser parser = new PushCommandParser(LIMITS, false);
        try {
            return parser.accept(wire).orElseThrow();
        } finally {
            parser.release();
        }
    }

    private static void assertMalformed(ByteBuf wire) {
        assertThatThrownBy(() -> parse(wire))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.MALFORMED_PUSH));
    }

    @Test
    void readsEveryCommandAndWritesThemAnew() throws Exception {
        PushCommands commands =
                parse(
                        wire(
                                A + " " + B + " refs/heads/agent/x" + CAPS + "\n",
                                ZERO + " " + B + " refs/heads/agent/y",
                                A + " " + ZERO + " refs/tags/v1"));

        assertThat(commands.updates())
                .extracting(RefUpdate::ref)
                .hasToString("[refs/heads/agent/x, refs/heads/agent/y, refs/tags/v1]");
        assertThat(commands.needsPack()).isTrue();
        assertThat(commands.sideband()).isTrue();
        assertThat(parse(commands.serialise().retain())).isEqualTo(commands);
        assertThat(commands.serialise().toString(StandardCharsets.US_ASCII))
                .doesNotContain("git/2.39.5")
                .contains("agent=sallyport");
    }

    @Test
    void g2ThePackBeginsBehindTheFlushAndNowhereElse() throws Exception {
        PushCommandParser parser = new PushCommandParser(LIMITS, false);
        ByteBuf body = wire(A + " " + B + " refs/heads/PACK" + CAPS);
        body.writeBytes("PACK....0000".getBytes(StandardCharsets.US_ASCII));

        Optional<PushCommands> commands = parser.accept(body);

        assertThat(commands).isPresent();
        assertThat(parser.rest().rest().toString(StandardCharsets.US_ASCII))
                .isEqualTo("PACK....0000");
    }

    private static ByteBuf withOptions(String... options) {
        ByteBuf wire = wire(A + " " + B + " refs/heads/agent/x" + CAPS + " push-options");
        return Unpooled.wrappedBuffer(wire, wire(options));
    }

    /// Options end at a flush of their own, and the pack begins behind that one.
    @Test
    void g25OptionsStandBetweenTheCommandsAndThePack() throws Exception {
        PushCommandParser parser = new PushCommandParser(LIMITS, true);
        ByteBuf pack = Unpooled.copiedBuffer("PACK....", StandardCharsets.US_ASCII);

        PushCommands commands =
                parser.accept(
                                Unpooled.wrappedBuffer(
                                        withOptions("merge_request.create", "a=\u00c3\u00a9"),
                                        pack))
                        .orElseThrow();

        assertThat(commands.options()).hasSize(2).first().isEqualTo("merge_request.create");
        assertThat(parser.rest().rest().toString(StandardCharsets.US_ASCII)).isEqualTo("PACK....");
        String written =
                commands.withOptions(List.of("x.y"))
                        .serialise()
                        .toString(StandardCharsets.US_ASCII);
        assertThat(written).endsWith("00000007x.y0000").doesNotContain("merge_request");
    }

    @Test
    void g25WhereNoneAreOfferedNoneAreRead() {
        assertMalformed(withOptions("merge_request.create"));
    }

    @Test
    void g25AnOptionIsOneLineOfText() {
        for (String option :
                new String[] {"a\nb", "a\0b", "a\u001bb", "\u00ff", "x".repeat(8_193)}) {
            PushCommandParser parser =
                    new PushCommandParser(new Limits.Git(1 << 20, 1 << 20, 4, 1 << 16), true);
            assertThatThrownBy(() -> parser.accept(withOptions(option)))
                    .isInstanceOf(RefusedException.class);
            parser.release();
        }
    }

    @Test
    void g2AFakeSignatureBeforeTheFlushIsNoPack() {
        assertMalformed(wire(A + " " + B + " refs/heads/x" + CAPS, "PACK"));
        assertMalformed(Unpooled.copiedBuffer("PACK0000", StandardCharsets.US_ASCII));
    }

    @Test
    void aLoneFlushIsGitsProbe() throws Exception {
        assertThat(parse(wire()).isProbe()).isTrue();
    }

    @Test
    void deletesAloneNeedNoPack() throws Exception {
        assertThat(parse(wire(A + " " + ZERO + " refs/heads/x" + CAPS)).needsPack()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shallow AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "shallow aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa refs/heads/main",
                "shallow ",
                "Shallow aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "push-cert\0report-status",
                "push-cert-end",
                "",
                "\0report-status"
            })
    void g12RefusesOtherKindsOfLines(String line) {
        assertMalformed(wire(line));
        assertMalformed(wire(line, A + " " + B + " refs/heads/x" + CAPS));
        assertMalformed(wire(A + " " + B + " refs/heads/x" + CAPS, line));
    }

    @Test
    void g12TheEdgeOfAShallowCloneIsCheckedAndDropped() throws Exception {
        String command = A + " " + B + " refs/heads/x" + CAPS;

        assertThat(parse(wire("shallow " + A, "shallow " + B, command)))
                .isEqualTo(parse(wire(command)));
        assertMalformed(wire("shallow " + A));
        assertMalformed(wire(command, "shallow " + A));
    }

    @Test
    void g12RefusesOtherObjectIds() {
        assertMalformed(wire("A".repeat(40) + " " + B + " refs/heads/x" + CAPS));
        assertMalformed(wire("a".repeat(64) + " " + "b".repeat(64) + " refs/heads/x" + CAPS));
        assertMalformed(wire("a".repeat(39) + " " + B + " refs/heads/x" + CAPS));
        assertMalformed(wire(A + "  " + B + " refs/heads/x" + CAPS));
        assertMalformed(wire(ZERO + " " + ZERO + " refs/heads/x" + CAPS));
    }

    @Test
    void g12RefusesASecondNul() {
        assertMalformed(wire(A + " " + B + " refs/heads/x" + CAPS + "\0refs/heads/main"));
        assertMalformed(
                wire(A + " " + B + " refs/heads/x" + CAPS, A + " " + B + " refs/heads/y\0quiet"));
        assertMalformed(wire(A + " " + B + " refs/heads/x"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "report-status push-options",
                "report-status push-cert=nonce",
                "report-status object-format=sha256",
                "report-status unknown",
                "report-status report-status",
                "side-band-64k",
                "REPORT-STATUS",
                ""
            })
    void g11AndG12RefuseCapabilitiesThatWereNotOffered(String capabilities) {
        assertMalformed(wire(A + " " + B + " refs/heads/x\0" + capabilities));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HEAD",
                "refs/heads",
                "refs/heads/",
                "heads/main",
                "refs/heads/../main",
                "refs/heads/a..b",
                "refs/heads/.a",
                "refs/heads/a.lock",
                "refs/heads/a.",
                "refs/heads//a",
                "refs/heads/a b",
                "refs/heads/a~1",
                "refs/heads/a^",
                "refs/heads/a:b",
                "refs/heads/@{-1}",
                "refs/heads/a\\b",
                "refs/heads/a\tb",
                "refs/heads/a\n",
                " refs/heads/a",
                "/refs/heads/a"
            })
    void g13RefusesNamesThatGitWouldNotHold(String ref) {
        assertMalformed(wire(A + " " + B + " " + ref + "\n" + CAPS));
        assertMalformed(wire(A + " " + B + " " + ref + CAPS));
    }

    @Test
    void g1RefusesTheSameRefTwice() {
        assertMalformed(wire(A + " " + B + " refs/heads/x" + CAPS, B + " " + A + " refs/heads/x"));
    }

    @Test
    void g8BoundsCommandsAndBytes() throws Exception {
        String[] many = new String[5];
        for (int i = 0; i < many.length; i++) {
            many[i] = A + " " + B + " refs/heads/x" + i + (i == 0 ? CAPS : "");
        }
        assertMalformed(wire(A + " " + B + " refs/heads/x" + CAPS + " ".repeat(4_096)));
        assertThat(parse(wire(Arrays.copyOf(many, 4))).excess()).isFalse();
        assertThat(parse(wire(many)).excess()).isTrue();
        many[1] += "x".repeat(3_900);
        assertThat(parse(wire(many)).updates()).hasSize(1);
        assertThat(parse(wire(many)).excess()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"refs/heads/\u00ff\u00fe", "refs/heads/a\u00e2\u0080\u008b"})
    void g13AGitNameThatIsNotAcceptedIsKeptApartAsItWasWritten(String ref) throws Exception {
        PushCommands commands = parse(wire(A + " " + B + " " + ref + CAPS));
        assertThat(commands.updates()).isEmpty();
        assertThat(commands.isProbe()).isFalse();
        assertThat(commands.misnamed())
                .singleElement()
                .satisfies(
                        misnamed -> {
                            assertThat(misnamed.wireName()).isEqualTo(ref);
                            assertThat(misnamed.update().ref().value()).matches("[ -~]+");
                            assertThat(misnamed.objections())
                                    .extracting(Objection::reason)
                                    .containsExactly(Refusal.REF_NAME_NOT_ALLOWED);
                        });
    }
}
