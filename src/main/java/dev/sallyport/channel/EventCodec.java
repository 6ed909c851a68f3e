package dev.sallyport.channel;

import dev.sallyport.audit.AuditEvent;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Events as bytes and back; `docs/protocol/channel.md` has the table. Made by hand, because there
/// is an event for each request. Strict, because the other end may be a compromised gateway: there
/// is one way to write an event, and every length is bounded before anything is read.
final class EventCodec {
    /// Before the events of a batch: its length and how many they are.
    static final int LENGTH_BYTES = 4;

    static final int COUNT_BYTES = 2;

    static final int BATCH_EVENTS_MAX = 512;

    /// A batch that has reached this takes no more.
    static final int BATCH_BYTES_FULL = 64 << 10;

    private static final int DETAIL_BYTES_MAX =
            1 + AuditEvent.NAME_CHARACTERS_MAX + 2 + 2 * AuditEvent.VALUE_CHARACTERS_MAX;

    /// Above the largest batch: one that was not full before its last event.
    static final int BATCH_BYTES_MAX =
            BATCH_BYTES_FULL
                    + 2 * (1 + AuditEvent.NAME_CHARACTERS_MAX)
                    + 2
                    + AuditEvent.DETAILS_MAX * DETAIL_BYTES_MAX;

    /// Set in the length of a value whose characters have two bytes each.
    private static final int WIDE = 0x8000;

    /// Each at the place that stands for it.
    private static final List<String> DECISIONS = List.of("", "allow", "deny", "learned");

    static void encode(AuditEvent event, ByteBuf out) {
        name(event.kind(), out);
        name(event.session(), out);
        out.writeByte(DECISIONS.indexOf(event.decision()));
        out.writeByte(event.detail().size());
        event.detail()
                .forEach(
                        (key, value) -> {
                            name(key, out);
                            value(value, out);
                        });
    }

    private static void name(String ascii, ByteBuf out) {
        out.writeByte(ascii.length());
        latin(ascii, out);
    }

    private static void value(String text, ByteBuf out) {
        boolean wide = false;
        for (int i = 0; i < text.length() && !wide; i++) {
            wide = text.charAt(i) > 0xff;
        }
        if (!wide) {
            out.writeShort(text.length());
            latin(text, out);
            return;
        }
        out.writeShort(WIDE | text.length());
        for (int i = 0; i < text.length(); i++) {
            out.writeChar(text.charAt(i));
        }
    }

    private static void latin(String text, ByteBuf out) {
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// A batch without its length.
    static List<AuditEvent> decode(ByteBuf in) throws ChannelException {
        try {
            int count = in.readUnsignedShort();
            require(count > 0 && count <= BATCH_EVENTS_MAX, "a batch has 1 to 512 events");
            List<AuditEvent> events = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                events.add(event(in));
            }
            require(!in.isReadable(), "a batch ends with its last event");
            return Collections.unmodifiableList(events);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new ChannelException("an event that cannot be read: " + e.getMessage());
        }
    }

    private static AuditEvent event(ByteBuf in) throws ChannelException {
        String kind = name(in);
        String session = name(in);
        String decision = DECISIONS.get(in.readUnsignedByte());
        int details = in.readUnsignedByte();
        require(details <= AuditEvent.DETAILS_MAX, "an event has too many details");
        SortedMap<String, String> detail = new TreeMap<>();
        String before = "";
        for (int i = 0; i < details; i++) {
            String key = name(in);
            require(key.compareTo(before) > 0, "details are sorted, and each is there once");
            detail.put(key, value(in));
            before = key;
        }
        return new AuditEvent(kind, session, decision, detail);
    }

    private static String name(ByteBuf in) throws ChannelException {
        int length = in.readUnsignedByte();
        require(length <= AuditEvent.NAME_CHARACTERS_MAX, "a name is too long");
        return in.readString(length, StandardCharsets.ISO_8859_1);
    }

    private static String value(ByteBuf in) throws ChannelException {
        int form = in.readUnsignedShort();
        int length = form & ~WIDE;
        require(length <= AuditEvent.VALUE_CHARACTERS_MAX, "a value is too long");
        if ((form & WIDE) == 0) {
            return in.readString(length, StandardCharsets.ISO_8859_1);
        }
        char[] wide = new char[length];
        for (int i = 0; i < length; i++) {
            wide[i] = in.readChar();
        }
        return new String(wide);
    }

    private static void require(boolean holds, String rule) throws ChannelException {
        if (!holds) {
            throw new ChannelException(rule);
        }
    }
}
