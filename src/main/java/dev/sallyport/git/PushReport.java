package dev.sallyport.git;

import dev.sallyport.policy.Permit;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The answer to a push that was refused: a `report-status` that git prints beside each ref, and
/// text that tells an agent what it may do instead.
final class PushReport {
    private static final int BAND_REPORT = 1;
    private static final int BAND_TEXT = 2;

    /// Payload of a side-band packet: the packet less its length and its band.
    private static final int BAND_BYTES_MAX = PktLine.BYTES_MAX - PktLine.LENGTH_BYTES - 1;

    private PushReport() {}

    static ByteBuf refused(Permit permit, List<JudgedUpdate> updates, boolean sideband, String id) {
        ByteBuf report = report(updates);
        if (!sideband) {
            return report;
        }
        ByteBuf out = Unpooled.buffer();
        band(
                out,
                BAND_TEXT,
                Unpooled.copiedBuffer(text(permit, updates, id), StandardCharsets.UTF_8));
        band(out, BAND_REPORT, report);
        PktLine.writeFlush(out);
        return out;
    }

    private static ByteBuf report(List<JudgedUpdate> updates) {
        ByteBuf report = Unpooled.buffer();
        PktLine.write(report, "unpack ok\n");
        for (JudgedUpdate judged : updates) {
            String reason =
                    judged.objection()
                            .map(PushReport::reason)
                            .orElse("refused with the whole push by sallyport");
            PktLine.write(report, "ng " + judged.update().ref() + " " + reason + "\n");
        }
        PktLine.writeFlush(report);
        return report;
    }

    private static String reason(Refusal objection) {
        return "sallyport: " + objection.code();
    }

    private static String text(Permit permit, List<JudgedUpdate> updates, String id) {
        StringBuilder text = new StringBuilder();
        text.append("Sallyport refused this push. Nothing of it was sent upstream.\n");
        for (JudgedUpdate judged : updates) {
            judged.objection()
                    .ifPresent(
                            reason ->
                                    text.append("  ")
                                            .append(shown(judged.update().ref()))
                                            .append(": ")
                                            .append(reason.code())
                                            .append('\n'));
        }
        allowed(text, permit.push());
        return text.append("Id: ").append(id).append('\n').toString();
    }

    private static String shown(RefName ref) {
        return ref.isBranch() ? ref.shortName() : ref.value();
    }

    private static void allowed(StringBuilder text, PushRules rules) {
        text.append("This sandbox may push to ").append(permittedBranches(rules));
        text.append(rules.tags() ? ", tags too" : ", no tags");
        text.append(rules.delete() ? ", and may delete refs.\n" : ", and may not delete refs.\n");
    }

    private static String permittedBranches(PushRules rules) {
        List<String> patterns = rules.branches().stream().map(Object::toString).toList();
        return patterns.isEmpty()
                ? "no branch"
                : "branches that match " + String.join(" or ", patterns);
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
