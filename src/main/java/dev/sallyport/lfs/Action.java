package dev.sallyport.lfs;

import dev.sallyport.relay.StorePlace;
import java.util.Map;

/// Where an object really is transferred, and what is to be sent along. It never leaves the
/// gateway.
///
/// @param own whether it is the git host itself and wants the git credential
/// @param fields what the git host said to send; may hold a credential of the store's
/// @param seconds how long it is good for
record Action(
        LfsObject object, StorePlace place, boolean own, Map<String, String> fields, int seconds) {
    private static final int OVERHEAD_BYTES = 256;

    /// What is done with it.
    enum Verb {
        DOWNLOAD,
        UPLOAD,
        VERIFY;

        String word() {
            return switch (this) {
                case DOWNLOAD -> "download";
                case UPLOAD -> "upload";
                case VERIFY -> "verify";
            };
        }
    }

    Action {
        fields = Map.copyOf(fields);
    }

    /// About what it takes in memory.
    long bytes() {
        return OVERHEAD_BYTES
                + 2L * place.target().length()
                + fields.entrySet().stream()
                        .mapToLong(f -> 2L * (f.getKey().length() + f.getValue().length()))
                        .sum();
    }

    /// A header value may be a credential.
    @Override
    public String toString() {
        return "Action[" + object + " at " + place.host() + "]";
    }
}
