package dev.sallyport.git;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads the command list at the head of a push. It ends at the first flush packet and nowhere
/// else; whatever looks like a pack before that is a malformed command (CVE-2025-54584).
///
/// A push from a shallow clone begins with lines that name the commits at its edge. They are
/// checked for their form and dropped: upstream has those commits, or it refuses the push because
/// history is missing.
final class PushCommandParser {
    /// `<old> SP <new> SP`
    private static final int IDS_LENGTH = 82;

    private static final String SHALLOW = "shallow ";

    private final Limits.Git limits;
    private final PktReader reader = new PktReader(Refusal.MALFORMED_PUSH);
    private final List<RefUpdate> updates = new ArrayList<>();
    private final Set<RefName> seen = new HashSet<>();
    private Set<String> capabilities = Set.of();
    private int bytes;
    private boolean shallow;

    PushCommandParser(Limits.Git limits) {
        this.limits = limits;
    }

    /// Takes ownership. Present once the list is complete; what followed it is then in [#rest].
    Optional<PushCommands> accept(ByteBuf piece) throws RefusedException {
        reader.offer(piece);
        PktLine next;
        while ((next = reader.poll()) != null) {
            switch (next) {
                case PktLine.Flush _ -> {
                    count(PktLine.LENGTH_BYTES);
                    if (shallow && updates.isEmpty()) {
                        throw malformed("shallow lines go before commands");
                    }
                    return Optional.of(new PushCommands(updates, capabilities));
                }
                case PktLine.Data data -> {
                    count(PktLine.LENGTH_BYTES + data.payload().length);
                    add(decode(data.line()));
                }
            }
        }
        return Optional.empty();
    }

    /// How many bytes the list took, its flush packet included.
    int bytes() {
        return bytes;
    }

    PktReader rest() {
        return reader;
    }

    void release() {
        reader.release();
    }

    private void count(int packetBytes) throws RefusedException {
        bytes += packetBytes;
        if (bytes > limits.pushCommandBytesMax()) {
            throw malformed("the command list is too long");
        }
    }

    private void add(String line) throws RefusedException {
        if (line.startsWith(SHALLOW) && updates.isEmpty()) {
            edge(line.substring(SHALLOW.length()));
            return;
        }
        if (updates.size() == limits.pushCommandsMax()) {
            throw malformed("the push has too many commands");
        }
        int nul = line.indexOf('\0');
        if (updates.isEmpty() != (nul >= 0)) {
            throw malformed("the first command, and no other, carries capabilities");
        }
        RefUpdate update = command(nul < 0 ? line : line.substring(0, nul));
        if (!seen.add(update.ref())) {
            throw malformed("a ref is named once");
        }
        if (nul >= 0) {
            capabilities = Capabilities.requested(line.substring(nul + 1));
        }
        updates.add(update);
    }

    private void edge(String id) throws RefusedException {
        shallow = true;
        try {
            ObjectName.parse(id);
        } catch (MalformedNameException _) {
            throw malformed("a shallow line names one object id");
        }
    }

    private static RefUpdate command(String text) throws RefusedException {
        if (text.length() <= IDS_LENGTH || text.charAt(40) != ' ' || text.charAt(81) != ' ') {
            throw malformed("a command is written old, new, ref");
        }
        try {
            RefUpdate update =
                    new RefUpdate(
                            RefName.parse(text.substring(IDS_LENGTH)),
                            ObjectName.parse(text.substring(0, 40)),
                            ObjectName.parse(text.substring(41, 81)));
            if (update.isCreate() && update.isDelete()) {
                throw malformed("a command changes something");
            }
            return update;
        } catch (MalformedNameException _) {
            throw malformed("a command names two object ids and a full ref");
        }
    }

    /// Strictly: a byte sequence that is not UTF-8 would read differently here and upstream.
    private static String decode(byte[] line) throws RefusedException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
        } catch (CharacterCodingException _) {
            throw malformed("a ref is written in UTF-8");
        }
    }

    private static RefusedException malformed(String rule) {
        return new RefusedException(Refusal.MALFORMED_PUSH, rule);
    }
}
