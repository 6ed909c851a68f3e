package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxUser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/// Gives a user that the image does not know a name and a home directory, before the container
/// starts: many programs end at once when there is no entry for their number, or write to `/`.
///
/// @param home where it is inside, without the first `/`
record ContainerAccount(DockerEngine engine, String container, String home) {
    private static final String PASSWD = "etc/passwd";
    static final String HOME = "home/sandbox";
    private static final int PASSWD_BYTES_MAX = 1 << 20;

    /// @param fullName of who uses it
    void make(SandboxUser.Numbers user, String fullName) throws SandboxException {
        if (user.isRoot()) {
            return;
        }
        Optional<String> accounts = engine.ask("read the image's accounts", this::accounts);
        if (accounts.isEmpty() || knows(accounts.get(), user.uid())) {
            return;
        }
        byte[] archive =
                new TarArchive()
                        .directory(home, 0700, user.uid(), user.gid())
                        .file(PASSWD, 0644, with(accounts.get(), user, fullName, home))
                        .bytes();
        engine.ask(
                "make a home directory in the container",
                docker ->
                        docker.copyArchiveToContainerCmd(container)
                                .withTarInputStream(new ByteArrayInputStream(archive))
                                .withRemotePath("/")
                                .exec());
    }

    /// Of no account when there is no such file; nothing when it is not a plain one, as where a
    /// link leads into a store of packages.
    private Optional<String> accounts(DockerClient docker) {
        try (InputStream archive =
                docker.copyArchiveFromContainerCmd(container, "/" + PASSWD).exec()) {
            return TarArchive.firstFile(archive, PASSWD_BYTES_MAX);
        } catch (NotFoundException e) {
            return Optional.of("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean knows(String accounts, long uid) {
        return accounts.lines()
                .map(line -> line.split(":", -1))
                .anyMatch(fields -> fields.length > 2 && fields[2].equals(Long.toString(uid)));
    }

    static String with(String accounts, SandboxUser.Numbers user, String fullName, String home) {
        boolean taken = accounts.lines().anyMatch(line -> line.startsWith("sandbox:"));
        String name = taken ? "sandbox-" + user.uid() : "sandbox";
        String before = accounts.isEmpty() || accounts.endsWith("\n") ? accounts : accounts + "\n";
        return before
                + "%s:x:%d:%d:%s:/%s:/bin/sh\n"
                        .formatted(name, user.uid(), user.gid(), fullName, home);
    }
}
