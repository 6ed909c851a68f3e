package dev.sallyport.confine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/// Takes files away from a thread and from everything it starts (`landlock(7)`): only what lies
/// beneath the directories named here can be opened, for this and nothing more.
public final class Landlock {
    private static final long ASK_VERSION = 1;
    private static final long PATH_BENEATH = 1;

    private static final long EXECUTE = 1;
    private static final long READ_FILE = 1 << 2;
    private static final long READ_DIRECTORY = 1 << 3;

    /// Every right over files that the first version knows: bits 0 to 12.
    private static final long FIRST_RIGHTS = (1 << 13) - 1;

    /// `REFER`, from version 2, and `TRUNCATE`, from version 3.
    private static final long REFER = 1 << 13;

    private static final long TRUNCATE = 1 << 14;
    private static final long READ = EXECUTE | READ_FILE | READ_DIRECTORY;
    private static final long OVER_FILES = EXECUTE | 1 << 1 | READ_FILE | TRUNCATE;

    private static final int RULE_BYTES = 12;

    private Landlock() {}

    /// What the kernel offers; 0 when it has none or it is switched off.
    public static int version() {
        return (int)
                Math.max(0, Kernel.call(Syscall.LANDLOCK_CREATE_RULESET, 0, 0, ASK_VERSION, 0));
    }

    /// From now on this thread and its children open nothing but this. What is open stays open.
    ///
    /// @param read may be read and executed; what does not exist is left out
    /// @param write may be read and changed, too
    static void onThisThread(Collection<Path> read, Collection<Path> write) throws IOException {
        Kernel.renounceNewPrivileges();
        long handled = handled(version());
        int ruleset = create(handled);
        try {
            for (Path path : read) {
                allow(ruleset, path, READ & handled);
            }
            for (Path path : write) {
                allow(ruleset, path, handled & ~EXECUTE);
            }
            Kernel.require("to take files away", Syscall.LANDLOCK_RESTRICT_SELF, ruleset, 0, 0);
        } finally {
            Kernel.call(Syscall.CLOSE, ruleset, 0, 0, 0);
        }
    }

    private static long handled(int version) {
        long rights = FIRST_RIGHTS;
        rights |= version >= 2 ? REFER : 0;
        return rights | (version >= 3 ? TRUNCATE : 0);
    }

    private static int create(long handled) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(Long.BYTES, Long.BYTES);
            attributes.set(ValueLayout.JAVA_LONG, 0, handled);
            return (int)
                    Kernel.require(
                            "a ruleset for files",
                            Syscall.LANDLOCK_CREATE_RULESET,
                            attributes.address(),
                            Long.BYTES,
                            0);
        }
    }

    private static void allow(int ruleset, Path path, long rights) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int place = openPath(arena, path);
            if (place < 0) {
                return;
            }
            boolean directory = Files.isDirectory(path);
            MemorySegment rule = arena.allocate(RULE_BYTES, Long.BYTES);
            rule.set(ValueLayout.JAVA_LONG, 0, directory ? rights : rights & OVER_FILES);
            rule.set(ValueLayout.JAVA_INT, Long.BYTES, place);
            try {
                Kernel.require(
                        "a rule for " + path,
                        Syscall.LANDLOCK_ADD_RULE,
                        ruleset,
                        PATH_BENEATH,
                        rule.address());
            } finally {
                Kernel.call(Syscall.CLOSE, place, 0, 0, 0);
            }
        }
    }

    /// A descriptor that only names the place (`O_PATH`), or a negative number.
    private static int openPath(Arena arena, Path path) {
        long here = -100;
        long flags = 0x200000 | 0x80000;
        return (int)
                Kernel.call(
                        Syscall.OPENAT,
                        here,
                        arena.allocateFrom(path.toString()).address(),
                        flags,
                        0);
    }
}
