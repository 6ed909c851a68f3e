package dev.sallyport.sandbox;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Whom the commands of a container run as. Which number that is gets decided when the container is
/// made, because only then its image is there.
public sealed interface SandboxUser {
    /// As people write it.
    String label();

    /// The image's user, unless that is root; then [Owner].
    record Usual() implements SandboxUser {
        @Override
        public String label() {
            return "usual";
        }
    }

    /// Whom the image names, be it root.
    record Image() implements SandboxUser {
        @Override
        public String label() {
            return "image";
        }
    }

    /// Whom the workspace belongs to, so that what is written there belongs to the same.
    record Owner() implements SandboxUser {
        @Override
        public String label() {
            return "owner";
        }
    }

    /// Numbers as they are inside.
    record Numbers(long uid, long gid) implements SandboxUser {
        /// The largest stands for "nobody in particular" in system calls.
        private static final long ID_MAX = 0xffff_fffeL;

        public Numbers {
            if (uid < 0 || uid > ID_MAX || gid < 0 || gid > ID_MAX) {
                throw new IllegalArgumentException("there is no such user or group");
            }
        }

        @Override
        public String label() {
            return uid + ":" + gid;
        }

        public boolean isRoot() {
            return uid == 0;
        }
    }

    /// Reads what a person or the store says.
    ///
    /// @throws IllegalArgumentException for anything but a label or a lone number, which also names
    ///   the group
    static SandboxUser parse(String text) {
        return switch (text) {
            case "usual" -> new Usual();
            case "image" -> new Image();
            case "owner" -> new Owner();
            default -> numbers(text);
        };
    }

    private static Numbers numbers(String text) {
        Matcher numbers = Pattern.compile("([0-9]{1,10})(?::([0-9]{1,10}))?").matcher(text);
        if (!numbers.matches()) {
            throw new IllegalArgumentException("there is no such user");
        }
        long uid = Long.parseLong(numbers.group(1));
        return new Numbers(uid, numbers.group(2) == null ? uid : Long.parseLong(numbers.group(2)));
    }
}
