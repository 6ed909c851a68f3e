package dev.sallyport.confine;

import java.io.IOException;

/// The kernel lets nobody confine themselves who could still become somebody else by `execve`.
final class Privileges {
    private static final long NO_NEW_PRIVILEGES = 38;

    private Privileges() {}

    /// For this thread and what it starts (`PR_SET_NO_NEW_PRIVS`).
    static void renounceNew() throws IOException {
        Kernel.require("to renounce new privileges", Syscall.PRCTL, NO_NEW_PRIVILEGES, 1, 0);
    }
}
