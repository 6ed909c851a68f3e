package dev.sallyport.dns;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// Reads the one name of a query. No compression: there is nothing before the question to point to,
/// so a pointer can only loop or lie.
final class DnsName {
    private static final int LABEL_BYTES_MAX = 63;
    private static final int NAME_BYTES_MAX = 255;

    private DnsName() {}

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
