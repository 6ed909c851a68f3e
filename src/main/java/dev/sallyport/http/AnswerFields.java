package dev.sallyport.http;

import java.util.Map;
import java.util.Set;

/// Which fields a door may put into an answer, on either wire.
final class AnswerFields {
    /// Fields that frame the answer or the connection are ours to write.
    private static final Set<String> OURS =
            Set.of("content-length", "transfer-encoding", "connection", "upgrade", "trailer");

    private AnswerFields() {}

    /// @throws IllegalArgumentException if not
    static void requireWritable(String name, String value) {
        requireClean(name, value);
        if (OURS.contains(name)) {
            throw new IllegalArgumentException("a field of the answer is not the door's");
        }
    }

    /// The same for an answer that leaves HTTP; a `101` names its protocol.
    static void requireLeaving(int status, Map<String, String> fields) {
        if (status != 101 && status != 200) {
            throw new IllegalArgumentException("this status does not leave HTTP");
        }
        fields.forEach(
                (name, value) -> {
                    if (status == 101 && name.equals("upgrade")) {
                        requireClean(name, value);
                    } else {
                        requireWritable(name, value);
                    }
                });
    }

    /// Names in lower case, as HTTP/2 has them; an upper-case one could pass for another.
    private static void requireClean(String name, String value) {
        boolean clean = !name.isEmpty();
        for (int i = 0; clean && i < name.length(); i++) {
            char c = name.charAt(i);
            clean = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        }
        for (int i = 0; clean && i < value.length(); i++) {
            clean = value.charAt(i) >= 0x20 && value.charAt(i) < 0x7f;
        }
        if (!clean) {
            throw new IllegalArgumentException("a field of the answer cannot be written");
        }
    }
}
