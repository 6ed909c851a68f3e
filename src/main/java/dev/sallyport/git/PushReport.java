package dev.sallyport.git;

import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.push.Objection;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The answer to a push that was refused: a `report-status` that git prints beside each ref, and
/// text that tells an agent what it may do instead.
final class PushReport {
    private static final int BAND_REPORT = 1;
    private static final int BAND_TEXT = 2;
    private static final int BAND_ERROR = 3;

    /// Payload of a side-band packet: the packet less its length and its band.
    private static final int BAND_BYTES_MAX = PktLine.BYTES_MAX - PktLine.LENGTH_BYTES - 1;

    static final String DENIED = "Sallyport denied this push. Nothing was sent upstream.\n";
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
                            .orElse("denied with the whole push by sallyport");
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
            remedies(text, permit, objections);
        }
        return text.append("Id: ").append(id).append('\n').toString();
    }

    /// Each once: what the person who runs the sandbox could allow.
    private static void remedies(StringBuilder text, GitPermit permit, List<Objection> objections) {
        Map<String, String> facts = Map.of("repo", permit.repo().key());
        objections.stream()
                .map(Objection::reason)
                .distinct()
                .flatMap(reason -> Remedy.of(reason, "", facts).stream())
                .forEach(r -> text.append("To allow it: ").append(r.forSandbox()).append('\n'));
    }

    private static void objection(StringBuilder text, Objection objection) {
        text.append("  ").append(shown(objection.ref())).append(": ");
        text.append(objection.reason().sentence());
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
        return text("Sallyport: " + text + "\n");
    }

    /// One that the next is written over.
    static ByteBuf passing(String text) {
        return text("Sallyport: " + text + "\r");
    }

    private static ByteBuf text(String text) {
        ByteBuf out = Unpooled.buffer();
        band(out, BAND_TEXT, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        return out;
    }

    /// Ends an answer as a failure: git prints the text and takes nothing behind it.
    static ByteBuf error(String text) {
        ByteBuf out = Unpooled.buffer();
        band(out, BAND_ERROR, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        PktLine.writeFlush(out);
        return out;
    }

    /// A packet of the side band without text, as git's own server sends to show that it is there.
    static ByteBuf empty() {
        ByteBuf out = Unpooled.buffer();
        PktLine.write(out, new byte[] {BAND_TEXT});
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
