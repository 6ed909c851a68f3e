package dev.sallyport.dns;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// A question that can be answered: opcode QUERY, one question, nothing else but an OPT record.
///
/// We read the message ourselves: the question must go back byte for byte as it came (clients mix
/// cases to detect forgery), and the codec of the library folds names into strings in which a dot
/// inside a label and a dot between labels look the same.
record DnsQuery(
        int id, boolean recursionDesired, Question question, boolean edns, int ednsVersion) {
    static final int HEADER_BYTES = 12;
    static final int OPT_TYPE = 41;
    private static final int OPT_FIXED_BYTES = 11;

    /// The one question.
    ///
    /// @param name lower-case text without the trailing dot; letters, digits, hyphens, underscores
    /// @param wire name, type and class as sent, in ISO-8859-1
    record Question(String name, int type, int recordClass, String wire) {}

    /// What came of reading a message.
    sealed interface Reading {
        record Asked(DnsQuery query) implements Reading {}

        /// Answered with an error code and nothing else.
        record Faulty(int id, int opcode, DnsCode code) implements Reading {}

        /// Not a query, so that an answer could start a loop; or too short to have an id.
        record Silent() implements Reading {}
    }

    static Reading read(ByteBuf in) {
        if (in.readableBytes() < HEADER_BYTES) {
            return new Reading.Silent();
        }
        int id = in.readUnsignedShort();
        int flags = in.readUnsignedShort();
        boolean answer = (flags & 0x8000) != 0;
        int opcode = flags >> 11 & 0xf;
        if (answer) {
            return new Reading.Silent();
        }
        if (opcode != 0) {
            return new Reading.Faulty(id, opcode, DnsCode.NOT_IMPLEMENTED);
        }
        boolean truncated = (flags & 0x0200) != 0;
        Optional<DnsQuery> query =
                truncated ? Optional.empty() : body(in, id, (flags & 0x0100) != 0);
        return query.<Reading>map(Reading.Asked::new)
                .orElseGet(() -> new Reading.Faulty(id, 0, DnsCode.FORMAT_ERROR));
    }

    private static Optional<DnsQuery> body(ByteBuf in, int id, boolean recursionDesired) {
        int questions = in.readUnsignedShort();
        int answers = in.readUnsignedShort();
        int authorities = in.readUnsignedShort();
        int additionals = in.readUnsignedShort();
        if (questions != 1 || answers != 0 || authorities != 0 || additionals > 1) {
            return Optional.empty();
        }
        Optional<Question> question = DnsName.readQuestion(in);
        Optional<Integer> version = additionals == 0 ? Optional.of(0) : readOptVersion(in);
        if (question.isEmpty() || version.isEmpty() || in.isReadable()) {
            return Optional.empty();
        }
        return Optional.of(
                new DnsQuery(
                        id, recursionDesired, question.get(), additionals == 1, version.get()));
    }

    /// RFC 6891, section 6.1.2. What the options say does not interest us.
    private static Optional<Integer> readOptVersion(ByteBuf in) {
        if (in.readableBytes() < OPT_FIXED_BYTES
                || in.readByte() != 0
                || in.readUnsignedShort() != OPT_TYPE) {
            return Optional.empty();
        }
        in.skipBytes(3);
        int version = in.readUnsignedByte();
        in.skipBytes(2);
        int options = in.readUnsignedShort();
        if (options != in.readableBytes()) {
            return Optional.empty();
        }
        in.skipBytes(options);
        return Optional.of(version);
    }

    /// Reads the one name of a query. No compression: there is nothing before the question to point
    /// to, so a pointer can only loop or lie.
    private static final class DnsName {
        private static final int LABEL_BYTES_MAX = 63;
        private static final int NAME_BYTES_MAX = 255;

        static Optional<DnsQuery.Question> readQuestion(ByteBuf in) {
            int start = in.readerIndex();
            Optional<String> name = readName(in);
            if (name.isEmpty() || in.readableBytes() < 4) {
                return Optional.empty();
            }
            int type = in.readUnsignedShort();
            int recordClass = in.readUnsignedShort();
            String wire = in.toString(start, in.readerIndex() - start, StandardCharsets.ISO_8859_1);
            return Optional.of(new DnsQuery.Question(name.get(), type, recordClass, wire));
        }

        private static Optional<String> readName(ByteBuf in) {
            StringBuilder name = new StringBuilder();
            int start = in.readerIndex();
            while (in.isReadable()) {
                int length = in.readUnsignedByte();
                if (length == 0) {
                    return Optional.of(name.toString().toLowerCase(Locale.ROOT));
                }
                if (length > LABEL_BYTES_MAX
                        || in.readableBytes() < length
                        || in.readerIndex() + length - start >= NAME_BYTES_MAX) {
                    return Optional.empty();
                }
                String label = in.readCharSequence(length, StandardCharsets.ISO_8859_1).toString();
                if (!label.chars().allMatch(DnsName::isNameByte)) {
                    return Optional.empty();
                }
                name.append(name.isEmpty() ? "" : ".").append(label);
            }
            return Optional.empty();
        }

        /// Letters, digits, hyphen, and the underscore of service names. A dot, NUL or control byte
        /// inside a label reads differently in every resolver.
        private static boolean isNameByte(int c) {
            return (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_';
        }
    }

    /// The response codes that we send (RFC 1035, section 4.1.1; RFC 6891, section 9).
    enum DnsCode {
        NO_ERROR(0),
        FORMAT_ERROR(1),
        NO_SUCH_NAME(3),
        NOT_IMPLEMENTED(4),
        REFUSED(5),
        /// Needs an OPT record to be said.
        BAD_VERSION(16);

        private final int value;

        DnsCode(int value) {
            this.value = value;
        }

        int value() {
            return value;
        }
    }
}
