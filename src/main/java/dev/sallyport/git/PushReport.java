package dev.sallyport.git;

import dev.sallyport.http.Sentences;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Objection;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/// The answer to a push that was refused: a `report-status` that git prints beside each ref, and
/// text that tells an agent what it may do instead.
final class PushReport {
    private static final int BAND_REPORT = 1;
    private static final int BAND_TEXT = 2;

    /// Payload of a side-band packet: the packet less its length and its band.
    private static final int BAND_BYTES_MAX = PktLine.BYTES_MAX - PktLine.LENGTH_BYTES - 1;

    private static final String MIRROR_UNAVAILABLE =
            "the repository could not be copied to judge the push; tell the person who runs this sandbox";
    private static final String NOT_RECORDED =
            "the decision could not be recorded; tell the person who runs this sandbox";
    private static final String SECRET_FOUND =
            "something that looks like a credential is added; take it out of the history";
    static final String DENIED = "Sallyport refused this push. Nothing of it was sent upstream.\n";
    static final String REFUSED_UPSTREAM = "The git host refused this push.\n";

    /// Lines of text; the report itself has one for every ref.
    private static final int OBJECTIONS_TOLD_MAX = 100;

    private PushReport() {}

    /// @param outcome says who refused it
    static ByteBuf refused(
            GitPermit permit,
            List<JudgedUpdate> updates,
            String outcome,
            boolean sideband,
            String id) {
        ByteBuf report = report(updates);
        if (!sideband) {
            return report;
        }
        ByteBuf out = Unpooled.buffer();
        band(
                out,
                BAND_TEXT,
                Unpooled.copiedBuffer(outcome + text(permit, updates, id), StandardCharsets.UTF_8));
        band(out, BAND_REPORT, report);
        PktLine.writeFlush(out);
        return out;
    }

    private static ByteBuf report(List<JudgedUpdate> updates) {
        ByteBuf report = Unpooled.buffer();
        PktLine.write(report, "unpack ok\n");
        for (JudgedUpdate judged : updates) {
            String reason =
                    judged.first()
                            .map(PushReport::reason)
                            .orElse("refused with the whole push by sallyport");
            String line = "ng " + judged.wireName() + " " + reason + "\n";
            PktLine.write(report, line.getBytes(StandardCharsets.ISO_8859_1));
        }
        PktLine.writeFlush(report);
        return report;
    }

    private static String reason(Objection objection) {
        return "sallyport: " + objection.reason().code();
    }

    private static String text(GitPermit permit, List<JudgedUpdate> updates, String id) {
        StringBuilder text = new StringBuilder();
        List<Objection> objections =
                updates.stream().flatMap(judged -> judged.objections().stream()).toList();
        objections.stream().limit(OBJECTIONS_TOLD_MAX).forEach(each -> objection(text, each));
        if (objections.size() > OBJECTIONS_TOLD_MAX) {
            int more = objections.size() - OBJECTIONS_TOLD_MAX;
            text.append("  … and ").append(more).append(" more\n");
        }
        boolean ruled =
                objections.stream().anyMatch(o -> o.reason().fault() == Refusal.Fault.SANDBOX);
        if (ruled) {
            allowed(text, permit.push());
        }
        return text.append("Id: ").append(id).append('\n').toString();
    }

    private static void objection(StringBuilder text, Objection objection) {
        text.append("  ").append(shown(objection.ref())).append(": ");
        text.append(sentence(objection.reason()));
        if (!objection.detail().isEmpty()) {
            text.append(" (").append(objection.detail()).append(')');
        }
        text.append('\n');
    }

    private static String shown(RefName ref) {
        return ref.isBranch() ? ref.shortName() : ref.value();
    }

    private static void allowed(StringBuilder text, PushRules rules) {
        text.append("This sandbox may push to ").append(permittedBranches(rules));
        text.append(rules.tags() ? ", tags too" : ", no tags");
        text.append(rules.force() ? ", with force" : ", without force");
        text.append(rules.delete() ? ", and may delete refs.\n" : ", and may not delete refs.\n");
        if (!rules.content().pathsDenied().isEmpty()) {
            text.append("Paths that may not be changed: ");
            text.append(joined(rules.content().pathsDenied())).append('\n');
        }
        rules.content()
                .pathsAllowed()
                .ifPresent(
                        paths ->
                                text.append("Only these paths may be changed: ")
                                        .append(joined(paths))
                                        .append('\n'));
        text.append("All rules: http://gateway.sallyport/policy\n");
    }

    private static String joined(List<?> patterns) {
        return patterns.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    private static String permittedBranches(PushRules rules) {
        List<String> patterns = rules.branches().stream().map(Object::toString).toList();
        return patterns.isEmpty()
                ? "no branch"
                : "branches that match " + String.join(" or ", patterns);
    }

    private static String sentence(Refusal reason) {
        return switch (reason) {
            case REF_NOT_ALLOWED -> "this ref is not one that may be pushed";
            case REF_NAME_NOT_ALLOWED -> Sentences.REF_NAME_NOT_ALLOWED;
            case TOO_MANY_REFS -> Sentences.TOO_MANY_REFS;
            case DELETE_NOT_ALLOWED -> "refs may not be deleted";
            case TAG_NOT_ALLOWED -> "tags may not be pushed";
            case STALE_REF -> "the remote ref is not where this push says it is; fetch first";
            case FORCE_NOT_ALLOWED -> "the push would drop what the remote ref has";
            case NOT_A_COMMIT -> "a branch can only point to a commit";
            case PATH_NOT_ALLOWED -> "a path is changed that may not be";
            case FILE_TOO_LARGE -> "a file is larger than the limit";
            case TOO_MANY_COMMITS -> "there are more new commits than the limit";
            case SECRET_FOUND -> SECRET_FOUND;
            case AUTHOR_NOT_ALLOWED -> "a commit has an author or committer that is not allowed";
            case HIDDEN_OBJECTS -> "the pack holds objects that no pushed ref reaches";
            case MISSING_OBJECTS -> "objects are left out that upstream does not have";
            case MALFORMED_PACK -> "the pack, or an object in it, is not well-formed";
            case PACK_LIMIT -> "the pack exceeds a limit; push fewer commits at once";
            case JUDGEMENT_TIMEOUT -> "judging took too long; push fewer commits at once";
            case MIRROR_UNAVAILABLE -> MIRROR_UNAVAILABLE;
            case GATEWAY_BUSY -> "the gateway is busy; try again in a moment";
            case REPO_UNAVAILABLE -> "this repository is not available to this sandbox";
            case UPSTREAM_UNREACHABLE -> "the upstream host cannot be reached; try again later";
            case CREDENTIAL_REFUSED -> Sentences.CREDENTIAL_REFUSED;
            case CREDENTIAL_MISSING -> Sentences.CREDENTIAL_MISSING;
            case UPSTREAM_FORBIDDEN -> Sentences.UPSTREAM_FORBIDDEN;
            case REPO_NOT_FOUND -> Sentences.REPO_NOT_FOUND;
            case UPSTREAM_TOO_LARGE -> Sentences.UPSTREAM_TOO_LARGE;
            case UPSTREAM_BUSY -> Sentences.UPSTREAM_BUSY;
            case UPSTREAM_FAILED -> Sentences.UPSTREAM_FAILED;
            case UPSTREAM_TIMEOUT -> "the upstream host did not answer in time; try again later";
            case UPSTREAM_MISBEHAVED -> "the upstream host gave an answer that is not relayed";
            case NOT_RECORDED -> NOT_RECORDED;
            case SHA256_NOT_SUPPORTED -> "repositories with SHA-256 object names are not supported";
            case NO_SUCH_ENDPOINT,
                    METHOD_NOT_ALLOWED,
                    BAD_REQUEST,
                    MALFORMED_BODY,
                    BODY_TOO_LARGE,
                    HEAD_TOO_LARGE,
                    TOO_MANY_REQUESTS,
                    REQUEST_TIMEOUT,
                    LFS_NOT_SUPPORTED,
                    MALFORMED_PUSH,
                    SESSION_ENDED,
                    NAME_NOT_ALLOWED,
                    PORT_NOT_ALLOWED,
                    NAMES_DISAGREE,
                    BAD_HELLO,
                    URL_NOT_ALLOWED,
                    CONTENT_NOT_ALLOWED,
                    CREDENTIAL_NOT_ALLOWED,
                    UPGRADE_NOT_ALLOWED,
                    BUDGET_SPENT,
                    ADDRESS_NOT_ALLOWED,
                    INTERNAL ->
                    "the push could not be judged (" + reason.code() + ")";
        };
    }

    /// For a push that upstream may or may not have taken.
    static String unclear(Failure failure) {
        String more = failure.detail().isEmpty() ? "" : ": " + failure.detail();
        return "the git host failed ("
                + failure.reason().code()
                + more
                + "). Fetch to see whether it took the push.";
    }

    /// Lines of text as [#line] makes them.
    static ByteBuf lines(List<String> texts) {
        return Unpooled.wrappedBuffer(texts.stream().map(PushReport::line).toArray(ByteBuf[]::new));
    }

    /// A line of text for whoever pushes or fetches, in the side band.
    static ByteBuf line(String text) {
        ByteBuf out = Unpooled.buffer();
        ByteBuf line = Unpooled.copiedBuffer("Sallyport: " + text + "\n", StandardCharsets.UTF_8);
        band(out, BAND_TEXT, line);
        return out;
    }

    private static void band(ByteBuf out, int band, ByteBuf payload) {
        while (payload.isReadable()) {
            int length = Math.min(payload.readableBytes(), BAND_BYTES_MAX);
            byte[] packet = new byte[length + 1];
            packet[0] = (byte) band;
            payload.readBytes(packet, 1, length);
            PktLine.write(out, packet);
        }
        payload.release();
    }
}
