package dev.sallyport.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;

/// What a gateway that rehearses has of git around it: a server on loopback, and a person's git
/// that works with it through the sandbox's front door.
public final class RehearsedGit implements AutoCloseable {
    public static final String HOST = "git.rehearsal.example";
    public static final String REPOSITORY = HOST + "/acme/app";
    public static final String USER = "robot";
    public static final String TOKEN = "rehearsal";

    private static final int PUSHES = 4;

    private final Path root;
    private final GitUpstream upstream;

    private RehearsedGit(Path root, GitUpstream upstream) {
        this.root = root;
        this.upstream = upstream;
    }

    /// Starts the server, with a repository.
    ///
    /// @param root an empty directory of its own
    public static RehearsedGit start(Path root) throws IOException, GeneralSecurityException {
        Path served = Files.createDirectory(root.resolve("served"));
        Git.newRepository(served, "acme/app", Map.of("README.md", "A rehearsal.\n"));
        return new RehearsedGit(root, GitUpstream.start(HOST, served, USER, TOKEN));
    }

    public String dial() {
        return "127.0.0.1:" + upstream.port();
    }

    public String caPem() {
        return upstream.caPem();
    }

    /// Clones and pushes.
    ///
    /// @param port of the sandbox's front door
    public void work(int port) throws IOException {
        String url = "http://127.0.0.1:" + port + "/git/" + REPOSITORY + ".git";
        String own = "http.extraHeader=Host: gateway.sallyport";
        for (int i = 0; i < PUSHES; i++) {
            Path clone = root.resolve("clone" + i);
            Git.run(root, "-c", own, "clone", "-q", url, clone.toString());
            Files.writeString(clone.resolve("part" + i + ".txt"), "Part " + i + ".\n");
            Git.run(clone, "add", "-A");
            Git.run(clone, "commit", "-q", "-m", "Add a part");
            Git.run(clone, "-c", own, "push", "-q", "origin", "HEAD:refs/heads/agent/part" + i);
        }
    }

    @Override
    public void close() {
        upstream.close();
    }
}
