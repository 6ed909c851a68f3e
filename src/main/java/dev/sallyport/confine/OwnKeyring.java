package dev.sallyport.confine;

import java.io.IOException;

/// Starts a process with a session keyring of its own, an empty one: keys of ours are not handed on
/// to those who run programs for others.
public final class OwnKeyring {
    private static final long JOIN_SESSION_KEYRING = 1;
    private static final long WITHOUT_NAME = 0;

    private OwnKeyring() {}

    /// The kernel keeps the keyring for each thread, and a process begins with that of the thread
    /// that starts it; so the thread is one of its own.
    public static Process start(ProcessBuilder builder) throws IOException {
        return OwnThread.call(
                "keyring",
                () -> {
                    Kernel.require(
                            "a keyring of its own",
                            Syscall.KEYCTL,
                            JOIN_SESSION_KEYRING,
                            WITHOUT_NAME,
                            0);
                    return builder.start();
                });
    }
}
