package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// An account on whose behalf root makes sandboxes, with that account's rights and no others.
///
/// @param groups all that it belongs to, its first one included
public record Guest(Person person, List<Integer> groups) {
    private static final int ANSWER_BYTES_MAX = 64 << 10;
    private static final int GROUPS_MAX = 1_024;
    private static final int WAIT_SECONDS_MAX = 10;
    private static final int FIELDS = 7;

    public Guest {
        groups = List.copyOf(groups);
    }

    /// As the machine's account database says; empty when it knows no such account.
    ///
    /// @param account its number or its name
    public static Optional<Guest> find(String account) throws IOException, SandboxException {
        String entry = ask(HostTool.require("getent"), "passwd", "--", account);
        List<String> fields = List.of(entry.strip().split(":", -1));
        if (fields.size() != FIELDS
                || !(fields.get(2).equals(account) || fields.get(0).equals(account))
                || !fields.get(5).startsWith("/")) {
            return Optional.empty();
        }
        Person person =
                new Person(
                        Integer.parseInt(fields.get(2)),
                        Integer.parseInt(fields.get(3)),
                        fields.get(0),
                        Path.of(fields.get(5)));
        return Optional.of(new Guest(person, groups(person)));
    }

    private static List<Integer> groups(Person person) throws IOException, SandboxException {
        String said = ask(HostTool.require("id"), "-G", "--", person.name());
        List<Integer> groups =
                Stream.of(said.strip().split(" ", -1))
                        .filter(number -> number.matches("[0-9]{1,9}"))
                        .map(Integer::valueOf)
                        .limit(GROUPS_MAX)
                        .toList();
        return groups.isEmpty() ? List.of(person.gid()) : groups;
    }

    private static String ask(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var said = process.getInputStream()) {
            String answer = new String(said.readNBytes(ANSWER_BYTES_MAX), StandardCharsets.UTF_8);
            if (!process.waitFor(WAIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException(command[0] + " does not end");
            }
            return answer;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking " + command[0], e);
        } finally {
            process.destroyForcibly();
        }
    }
}
