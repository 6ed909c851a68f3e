package dev.sallyport.relay;

import java.util.Map;

/// How much of a budget a head takes.
public final class HeadBytes {
    /// Of a line, besides name and value.
    private static final int LINE_BYTES = 4;

    private HeadBytes() {}

    public static long of(Map<String, String> fields) {
        long bytes = 0;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            bytes += field.getKey().length() + field.getValue().length() + LINE_BYTES;
        }
        return bytes;
    }
}
