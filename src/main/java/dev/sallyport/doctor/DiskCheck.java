package dev.sallyport.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Room for what Sallyport writes: a full disk means that nothing can be recorded, and so that
/// nothing is allowed.
///
/// @param places what is written where; those that do not exist yet count as their parents
record DiskCheck(Map<String, Path> places) implements Check {
    private static final long BYTES_FAIL = 256L << 20;
    private static final long BYTES_WARN = 2L << 30;
    private static final long INODES_FAIL = 1_000;
    private static final long INODES_WARN = 50_000;

    /// @param inodes empty where the file system makes them as it goes
    record Room(long bytes, Optional<Long> inodes) {}

    DiskCheck {
        places = new LinkedHashMap<>(places);
    }

    @Override
    public List<Finding> look() {
        return places.entrySet().stream()
                .map(place -> finding("disk for " + place.getKey(), place.getValue()))
                .toList();
    }

    private static Finding finding(String subject, Path place) {
        Path there = place;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            return judge(
                    subject,
                    there,
                    new Room(Files.getFileStore(there).getUsableSpace(), inodes(there)));
        } catch (IOException e) {
            return Finding.fail(subject, there + ": " + e.getMessage(), "See: df " + there);
        }
    }

    static Finding judge(String subject, Path place, Room room) {
        long inodes = room.inodes().orElse(Long.MAX_VALUE);
        String seen =
                (room.bytes() >> 20)
                        + " MiB"
                        + room.inodes().map(count -> ", " + count + " inodes").orElse("")
                        + " free";
        String remedy = "Free space in " + place + ", or set SALLYPORT_HOME to another directory.";
        if (room.bytes() < BYTES_FAIL || inodes < INODES_FAIL) {
            return Finding.fail(subject, seen, remedy);
        }
        return room.bytes() < BYTES_WARN || inodes < INODES_WARN
                ? Finding.warn(subject, seen, remedy)
                : Finding.ok(subject, seen);
    }

    /// Java has no question for this; `stat -f` tells all and free ones. File systems without a
    /// table of inodes say 0 of 0.
    private static Optional<Long> inodes(Path place) {
        return Program.firstLine(List.of("/usr/bin/stat", "-f", "-c", "%c %d", place.toString()))
                .map(line -> line.split(" ", -1))
                .filter(parts -> Stream.of(parts).allMatch(part -> part.matches("[0-9]{1,18}")))
                .filter(parts -> parts.length == 2 && !parts[0].equals("0"))
                .map(parts -> Long.parseLong(parts[1]));
    }
}
