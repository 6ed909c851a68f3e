package dev.sallyport.git;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads the command list at the head of a push. It ends at the first flush packet and nowhere
/// else, unless options follow it, which end at the second; whatever looks like a pack before that
/// is a malformed command (CVE-2025-54584).
///
/// A list that is too long, and a name that is git's but not ours, are for the report to explain,
/// so the push is read on. Nothing of such a push goes upstream.
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
    private final List<JudgedUpdate> misnamed = new ArrayList<>();
    private final Set<RefName> seen = new HashSet<>();
    private Set<String> capabilities = Set.of();
    private final boolean takesOptions;
    private final List<String> options = new ArrayList<>();
    private int bytes;
    private boolean shallow;
    private boolean atOptions;

    /// @param takesOptions whether options of a push are judged
    PushCommandParser(Limits.Git limits, boolean takesOptions) {
        this.limits = limits;
        this.takesOptions = takesOptions;
    }

    /// Takes ownership. Present once the list is complete; what followed it is then in [#rest].
    Optional<PushCommands> accept(ByteBuf piece) throws RefusedException {
        reader.offer(piece);
        PktLine next;
        while ((next = reader.poll()) != null) {
            switch (next) {
                case PktLine.Flush _ -> {
                    bytes += PktLine.LENGTH_BYTES;
                    if (shallow && isFirst()) {
                        throw malformed("shallow lines go before commands");
                    }
                    if (atOptions || !capabilities.contains(Capabilities.PUSH_OPTIONS)) {
                        return Optional.of(list());
                    }
                    atOptions = true;
                }
                case PktLine.Data data -> {
                    bytes += PktLine.LENGTH_BYTES + data.payload().length;
                    if (isTooLong()) {
                        return Optional.of(list());
                    }
                    if (atOptions) {
                        option(data.payload());
                    } else {
                        add(new String(data.line(), StandardCharsets.ISO_8859_1));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private PushCommands list() {
        boolean tooMany = seen.size() > limits.pushCommandsMax();
        return new PushCommands(
                updates,
                misnamed,
                capabilities,
                options,
                tooMany || bytes > limits.pushCommandBytesMax());
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

    /// Until the first command has said what the sandbox understands there is no report to answer
    /// with.
    private boolean isTooLong() throws RefusedException {
        boolean tooLong = bytes > limits.pushCommandBytesMax();
        if (tooLong && isFirst()) {
            throw malformed("the command list is too long");
        }
        return tooLong;
    }

    private boolean isFirst() {
        return seen.isEmpty();
    }

    /// @param line one character for each byte
    private void add(String line) throws RefusedException {
        if (line.startsWith(SHALLOW) && isFirst()) {
            edge(line.substring(SHALLOW.length()));
            return;
        }
        int nul = line.indexOf('\0');
        if (isFirst() != (nul >= 0)) {
            throw malformed("the first command, and no other, carries capabilities");
        }
        if (nul >= 0) {
            capabilities = Capabilities.requested(line.substring(nul + 1), takesOptions);
        }
        command(nul < 0 ? line : line.substring(0, nul));
    }

    /// Strictly, as names are: what is not UTF-8 would be read in two ways.
    private void option(byte[] payload) throws RefusedException {
        try {
            String option =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
            boolean plain = option.codePoints().noneMatch(Character::isISOControl);
            if (options.size() >= PushOptions.OPTIONS_MAX
                    || option.length() > PushOptions.OPTION_CHARACTERS_MAX
                    || !plain) {
                throw malformed("a push has few options, each one line of some length");
            }
            options.add(option);
        } catch (CharacterCodingException _) {
            throw malformed("an option is UTF-8");
        }
    }

    private void edge(String id) throws RefusedException {
        shallow = true;
        try {
            ObjectName.parse(id);
        } catch (MalformedNameException _) {
            throw malformed("a shallow line names one object id");
        }
    }

    private void command(String text) throws RefusedException {
        if (text.length() <= IDS_LENGTH || text.charAt(40) != ' ' || text.charAt(81) != ' ') {
            throw malformed("a command is written old, new, ref");
        }
        String name = text.substring(IDS_LENGTH);
        Optional<RefName> ref = decoded(name);
        try {
            RefUpdate update =
                    new RefUpdate(
                            ref.isPresent() ? ref.get() : RefName.parse(escaped(name)),
                            ObjectName.parse(text.substring(0, 40)),
                            ObjectName.parse(text.substring(41, 81)));
            if (update.isCreate() && update.isDelete()) {
                throw malformed("a command changes something");
            }
            if (!seen.add(update.ref())) {
                throw malformed("a ref is named once");
            }
            if (ref.isPresent()) {
                updates.add(update);
            } else {
                misnamed.add(JudgedUpdate.misnamed(update, name));
            }
        } catch (MalformedNameException _) {
            throw malformed("a command names two object ids and a full ref");
        }
    }

    /// The name, if it is one that is accepted. Strictly: a byte sequence that is not UTF-8 would
    /// read differently here and upstream.
    private static Optional<RefName> decoded(String name) {
        ByteBuffer bytes = ByteBuffer.wrap(name.getBytes(StandardCharsets.ISO_8859_1));
        try {
            return Optional.of(
                    RefName.parse(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString()));
        } catch (CharacterCodingException | MalformedNameException _) {
            return Optional.empty();
        }
    }

    /// Shows what is not ASCII. What is malformed even so is no name to git either.
    private static String escaped(String name) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < 0x80) {
                shown.append(c);
            } else {
                shown.append('%').append(HexFormat.of().toHexDigits((byte) c));
            }
        }
        return shown.toString();
    }

    private static RefusedException malformed(String rule) {
        return new RefusedException(Refusal.MALFORMED_PUSH, rule);
    }
}
