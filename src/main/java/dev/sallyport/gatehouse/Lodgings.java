package dev.sallyport.gatehouse;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/// The directories of all accounts that ever knocked. Others pass through them to their own socket,
/// and can list none.
///
/// @param service the directory of all, `SALLYPORT_SERVICE`
record Lodgings(Path service) {
    /// Numbers for gateways' accounts, which neither people nor `DynamicUser=` of systemd get.
    static final int NUMBER_MIN = 60_578;

    static final int NUMBER_MAX = 61_182;

    private static final String NUMBER = "number";

    /// One account's.
    ///
    /// @param number of the account that its gateways have for themselves
    record Lodging(int uid, Home home, int number) {}

    /// Makes what is missing around all of them.
    void prepare() throws IOException {
        pass(service, "rwxr-xr-x");
        Ownership.requireSafeAncestors(service.resolve("any"));
        pass(users(), "rwx--x--x");
        Ownership.createPrivateDirectory(own());
    }

    /// What the gatehouse keeps for itself.
    Path own() {
        return service.resolve("gatehouse");
    }

    Path socket() {
        return service.resolve("gatehouse.sock");
    }

    private Path users() {
        return service.resolve("users");
    }

    private static void pass(Path directory, String mode) throws IOException {
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            // It was there; the check below is for both.
        }
        Ownership.requireRootsDirectory(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
    }

    /// Made when the account knocks for the first time.
    synchronized Lodging of(int uid) throws IOException {
        Home home = Home.lodged(service, uid);
        pass(home.lodging().orElseThrow(), "rwx--x--x");
        home.create();
        return new Lodging(uid, home, number(home));
    }

    /// Accounts that knocked before.
    List<Integer> known() throws IOException {
        List<Integer> uids = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(users())) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (!name.matches("0|[1-9][0-9]{0,9}")
                        || Long.parseLong(name) > Integer.MAX_VALUE) {
                    throw new ConfigException(
                            entry + " does not belong to an account.", "Move it away.");
                }
                uids.add(Integer.valueOf(name));
            }
        }
        return uids;
    }

    /// It is given once and stays: files of the account's gateway have it.
    private int number(Home home) throws IOException {
        Path file = home.root().resolve(NUMBER);
        OptionalInt given = read(file);
        if (given.isPresent()) {
            return given.getAsInt();
        }
        Set<Integer> taken = new HashSet<>();
        for (int uid : known()) {
            read(Home.lodged(service, uid).root().resolve(NUMBER)).ifPresent(taken::add);
        }
        for (int number = NUMBER_MIN; number <= NUMBER_MAX; number++) {
            if (!taken.contains(number)) {
                PrivateFile.replace(
                        file, Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
                return number;
            }
        }
        throw new ConfigException(
                "No more than " + (NUMBER_MAX - NUMBER_MIN + 1) + " accounts can be served.",
                "Remove the directory of one that is gone from " + users() + ".");
    }

    private static OptionalInt read(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return OptionalInt.empty();
        }
        Ownership.requirePrivateFile(file);
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        int number = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
        if (number < NUMBER_MIN || number > NUMBER_MAX) {
            throw new ConfigException(
                    file + " does not contain the number of a gateway account.",
                    "Remove the file.");
        }
        return OptionalInt.of(number);
    }
}
