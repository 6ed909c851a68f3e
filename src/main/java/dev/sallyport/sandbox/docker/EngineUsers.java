package dev.sallyport.sandbox.docker;

import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxUser;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Who the users in an engine's containers are outside.
///
/// @param rootless whether the engine is the person's own: root inside is the person
/// @param shift what root inside is, when the engine shifts all numbers (`userns-remap`)
record EngineUsers(boolean rootless, Optional<SandboxUser.Numbers> shift) {
    /// An engine that shifts keeps its data in a directory that is named after the first numbers.
    private static final Pattern SHIFTED = Pattern.compile(".*/([0-9]{1,10})\\.([0-9]{1,10})/?");

    /// How many numbers there are in a range of `/etc/subuid`, as tools write them.
    private static final long RANGE = 65_536;

    static EngineUsers of(List<String> securityOptions, String dataDirectory)
            throws SandboxException {
        boolean rootless = has(securityOptions, "name=rootless");
        if (rootless || !has(securityOptions, "name=userns")) {
            return new EngineUsers(rootless, Optional.empty());
        }
        Matcher first = SHIFTED.matcher(dataDirectory);
        if (!first.matches()) {
            throw new SandboxException(
                    "the Docker engine does not report how it remaps user ids (userns-remap). Check its daemon.json, or choose --runtime bubblewrap.");
        }
        return new EngineUsers(
                false,
                Optional.of(
                        new SandboxUser.Numbers(
                                Long.parseLong(first.group(1)), Long.parseLong(first.group(2)))));
    }

    private static boolean has(List<String> options, String option) {
        return options.stream().anyMatch(text -> text.contains(option));
    }

    /// Whether root inside is not root outside.
    boolean isPrivate() {
        return rootless || shift.isPresent();
    }

    void requirePrivate() throws SandboxException {
        if (!isPrivate()) {
            throw new SandboxException(
                    "the Docker engine does not use user namespaces. Set userns-remap in its daemon.json and restart it, use rootless Docker, or choose --runtime bubblewrap, which always has one.");
        }
    }

    /// Who a user inside is outside; empty for one that we cannot give a directory to: of a
    /// rootless engine's users, only root is a person.
    Optional<SandboxUser.Numbers> outside(SandboxUser.Numbers inside) {
        if (rootless) {
            Person person = Person.current();
            return inside.isRoot()
                    ? Optional.of(new SandboxUser.Numbers(person.uid(), person.gid()))
                    : Optional.empty();
        }
        return shift.map(
                        first ->
                                new SandboxUser.Numbers(
                                        inside.uid() + first.uid(), inside.gid() + first.gid()))
                .or(() -> Optional.of(inside));
    }

    /// Who inside is the owner of a file outside.
    SandboxUser.Numbers inside(SandboxUser.Numbers owner) throws SandboxException {
        if (rootless) {
            return new SandboxUser.Numbers(0, 0);
        }
        if (shift.isEmpty()) {
            return owner;
        }
        long uid = owner.uid() - shift.get().uid();
        long gid = owner.gid() - shift.get().gid();
        if (uid < 0 || uid >= RANGE || gid < 0 || gid >= RANGE) {
            throw new SandboxException(
                    "the Docker engine remaps user ids (userns-remap), and no user in its containers maps to %s, the owner of the workspace. Change the owner: chown -R %s:%s WORKSPACE; or choose a user with --user."
                            .formatted(
                                    owner.label(),
                                    shift.get().uid() + 1_000,
                                    shift.get().gid() + 1_000));
        }
        return new SandboxUser.Numbers(uid, gid);
    }
}
