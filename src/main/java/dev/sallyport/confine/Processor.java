package dev.sallyport.confine;

/// A processor whose system calls we know by number.
enum Processor {
    X86_64(0xc000003e, "SCMP_ARCH_X86_64", "386"),
    ARM_64(0xc00000b7, "SCMP_ARCH_AARCH64", "arm");

    /// The newest call that was looked at for the lists in [SyscallFilter]; `file_setattr` of Linux
    /// 6.17. Newer ones have the same numbers everywhere.
    static final int NEWEST = 469;

    private final int audit;
    private final String engineName;
    private final String narrow;

    Processor(int audit, String engineName, String narrow) {
        this.audit = audit;
        this.engineName = engineName;
        this.narrow = narrow;
    }

    static Processor current() {
        String name = System.getProperty("os.arch", "");
        return switch (name) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> ARM_64;
            default ->
                    throw new IllegalStateException(
                            "the system calls of " + name + " are not known; use x86-64 or arm64");
        };
    }

    /// How the kernel names it to a filter (`AUDIT_ARCH_…`).
    int audit() {
        return audit;
    }

    /// How a container engine's profile names it.
    String engineName() {
        return engineName;
    }

    /// How images name its 32-bit variant.
    String narrow() {
        return narrow;
    }

    int numberOf(Syscall call) {
        return switch (this) {
            case X86_64 -> call.onX86();
            case ARM_64 -> call.onArm();
        };
    }
}
