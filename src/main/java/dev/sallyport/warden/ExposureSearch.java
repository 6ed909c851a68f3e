package dev.sallyport.warden;

import dev.sallyport.sandbox.Inmates;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// One search for the values of secrets. Only what was read to its end counts as searched; whatever
/// could not be is told like a find, because nothing is known about it.
final class ExposureSearch {
    private static final int PLACE_BYTES_MAX = 8 << 20;
    private static final int TOLD_MAX = 20;

    private final Map<String, Predicate<String>> finders;
    private final List<String> found = new ArrayList<>();
    private final List<String> unread = new ArrayList<>();
    private int places;
    private int environments;

    /// @param finders by the secret's name
    ExposureSearch(Map<String, Predicate<String>> finders) {
        this.finders = new LinkedHashMap<>(finders);
    }

    /// @param process its directory below `/proc`
    /// @param inside whether what has this number is still one of the sandbox's; asked when the
    ///   file is open, since from then on it stays that process's
    void inProcess(Path process, BooleanSupplier inside) {
        BooleanSupplier ended = () -> Inmates.hasEnded(process) || !inside.getAsBoolean();
        if (in(process.resolve("environ"), inside, ended)) {
            environments++;
        }
        in(process.resolve("cmdline"), inside, ended);
    }

    void inFile(Path file) {
        in(file, () -> true, () -> Files.notExists(file));
    }

    /// @param why what cannot be searched
    void notIn(String why) {
        unread.add(why);
    }

    /// How many places were read.
    int places() {
        return places;
    }

    /// Finds first, then what could not be searched.
    List<String> told() {
        List<String> all = new ArrayList<>(found);
        all.addAll(unread);
        if (environments == 0) {
            all.add("no environment could be read");
        }
        return all.stream().limit(TOLD_MAX).toList();
    }

    private boolean in(Path place, BooleanSupplier meant, BooleanSupplier gone) {
        try (InputStream in = Files.newInputStream(place)) {
            if (!meant.getAsBoolean()) {
                return false;
            }
            byte[] bytes = in.readNBytes(PLACE_BYTES_MAX + 1);
            search(place, new String(bytes, StandardCharsets.ISO_8859_1));
            if (bytes.length <= PLACE_BYTES_MAX) {
                places++;
                return true;
            }
            unread.add(place + " is too large to be searched");
        } catch (IOException e) {
            if (!gone.getAsBoolean()) {
                unread.add(place + " cannot be read");
            }
        }
        return false;
    }

    private void search(Path place, String text) {
        finders.forEach(
                (name, finder) -> {
                    if (finder.test(text)) {
                        found.add(name + " in " + place);
                    }
                });
    }
}
