package dev.sallyport.sandbox;

import dev.sallyport.confine.FileRights;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/// An account on whose behalf root makes sandboxes, with that account's rights and no others.
///
/// @param groups all that it belongs to, its first one included
public record Guest(Person person, List<Integer> groups) {
    private static final int GROUPS_MAX = 1_024;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final int FIELDS = 7;

    public Guest {
        groups = List.copyOf(groups);
    }

    /// As the machine's account database says; empty when it knows no such account.
    ///
    /// @param account its number or its name
    public static Optional<Guest> find(String account) throws IOException, SandboxException {
        String entry = ask(HostProgram.require("getent"), "passwd", "--", account);
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

    /// The same account as the database knows it now: groups that it was taken out of count no
    /// more.
    public Guest now() throws IOException, SandboxException {
        return find(Integer.toString(person.uid()))
                .orElseThrow(() -> new IOException("the account " + person.name() + " is gone"));
    }

    /// Looks at files with this account's rights.
    public <T> T during(Callable<T> look) throws Exception {
        return person.isRoot()
                ? look.call()
                : new FileRights(person.uid(), person.gid(), now().groups()).during(look);
    }

    private static List<Integer> groups(Person person) throws IOException, SandboxException {
        String said = ask(HostProgram.require("id"), "-G", "--", person.name());
        List<Integer> groups =
                Stream.of(said.strip().split(" ", -1))
                        .filter(number -> number.matches("[0-9]{1,10}"))
                        .map(Long::valueOf)
                        .filter(number -> number <= Integer.MAX_VALUE)
                        .map(Long::intValue)
                        .limit(GROUPS_MAX)
                        .toList();
        return groups.isEmpty() ? List.of(person.gid()) : groups;
    }

    private static String ask(String... command) throws IOException {
        ProcessBuilder builder =
                HostProgram.builder(List.of(command))
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        return HostProgram.run(builder, ProcessBuilder::start, ANSWER_MAX).output();
    }
}
