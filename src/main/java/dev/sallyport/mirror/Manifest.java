package dev.sallyport.mirror;

import dev.sallyport.policy.Hashes;
import dev.sallyport.policy.ObjectName;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a copy consists of, in a text file that ends in its own digest. A copy without one is not a
/// copy.
///
/// @param repo for whoever looks into the directory
/// @param packs by the name that pack and index share, without an ending
/// @param tips the objects that upstream's refs pointed to; all of them must be there
record Manifest(String repo, Map<String, Pack> packs, List<ObjectName> tips) {
    static final String FILE = "manifest";
    private static final String FIRST_LINE = "sallyport mirror 1";
    private static final long BYTES_MAX = 64L << 20;

    record Pack(PackSeal pack, PackSeal index) {
        long bytes() {
            return pack.bytes() + index.bytes();
        }
    }

    Manifest {
        packs = Map.copyOf(packs);
        tips = List.copyOf(tips);
    }

    long bytes() {
        return packs.values().stream().mapToLong(Pack::bytes).sum();
    }

    Manifest with(Map<String, Pack> otherPacks) {
        return new Manifest(repo, otherPacks, tips);
    }

    /// Complete or absent: written beside, synced, moved.
    void write(Path directory) throws IOException {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        text.append("repo ").append(repo).append('\n');
        packs.forEach((name, pack) -> text.append(line(name, pack)));
        tips.forEach(tip -> text.append("tip ").append(tip).append('\n'));
        String digest = Hashes.sha256(text.toString());
        text.append("end ").append(digest).append('\n');
        Path temporary = directory.resolve(FILE + ".new");
        Files.writeString(temporary, text);
        try (FileChannel written = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            written.force(true);
        }
        Files.move(temporary, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String line(String name, Pack pack) {
        return "pack " + name + words(pack.pack()) + words(pack.index()) + "\n";
    }

    private static String words(PackSeal seal) {
        return " " + seal.bytes() + " " + seal.trailer() + " " + seal.changed();
    }

    static Manifest read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
            throw new CorruptCopyException("there is no manifest");
        }
        try {
            return parse(Files.readString(file));
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw new CorruptCopyException("the manifest is malformed", e);
        }
    }

    private static Manifest parse(String text) throws CorruptCopyException {
        int end = text.lastIndexOf("\nend ") + 1;
        if (!text.startsWith(FIRST_LINE + "\nrepo ")
                || !text.substring(end)
                        .equals("end " + Hashes.sha256(text.substring(0, end)) + "\n")) {
            throw new CorruptCopyException("the manifest does not match its digest");
        }
        Map<String, Pack> packs = new LinkedHashMap<>();
        List<ObjectName> tips = new ArrayList<>();
        List<String> lines = text.substring(0, end).lines().toList();
        for (String line : lines.subList(2, lines.size())) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("pack") && words.length == 8) {
                packs.put(words[1], new Pack(seal(words, 2), seal(words, 5)));
            } else if (words[0].equals("tip") && words.length == 2) {
                tips.add(new ObjectName(words[1]));
            } else {
                throw new CorruptCopyException("the manifest has a line of no kind");
            }
        }
        return new Manifest(lines.get(1).substring("repo ".length()), packs, tips);
    }

    private static PackSeal seal(String[] words, int from) {
        return new PackSeal(
                Long.parseLong(words[from]), words[from + 1], Long.parseLong(words[from + 2]));
    }
}
