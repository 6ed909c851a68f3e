package dev.sallyport.git;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.LfsServer;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// The git door with an upstream that has Git LFS and a store of its own, and a client that speaks
/// the API by hand.
final class LfsRig implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    final BoundaryRig boundary;
    final LfsServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    LfsRig(Path dir, Access access, LfsRules rules) throws Exception {
        PushRules push = access == Access.WRITE ? PushRules.standard() : PushRules.none();
        RepoGrant grant =
                new RepoGrant(
                                RepoPattern.parse(DoorRig.HOST + "/acme/app"),
                                access,
                                RefVisibility.all(),
                                push)
                        .withLfs(rules);
        this.boundary = new BoundaryRig(dir, Limits.standard(), grant);
        this.server =
                new LfsServer(
                        Files.createDirectories(dir.resolve("objects")),
                        DoorRig.HOST.value(),
                        boundary.backend,
                        "acme/app");
    }

    /// As if it had just begun.
    void reset() {
        server.reset();
        boundary.door.events.clear();
        boundary.door.recorderBroken = false;
    }

    static LfsRules rules(ApiLevel level, long objectBytesMax, long uploadBytesMax)
            throws MalformedNameException {
        return new LfsRules(
                level, objectBytesMax, uploadBytesMax, List.of(HostPattern.parse(LfsServer.STORE)));
    }

    static LfsRules write() throws MalformedNameException {
        return rules(ApiLevel.WRITE, 1L << 30, 1L << 30);
    }

    static String oid(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    String base() {
        return boundary.door.url("acme/app") + "/info/lfs/";
    }

    HttpResponse<String> post(String path, String body) throws Exception {
        return send(
                HttpRequest.newBuilder(URI.create(base() + path))
                        .header("Content-Type", "application/vnd.git-lfs+json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> batch(String operation, String oid, long size) throws Exception {
        return post(
                "objects/batch",
                """
                {"operation":"%s","transfers":["lfs-standalone-file","basic","ssh"],"ref":{"name":"refs/heads/agent/x"},
                 "objects":[{"oid":"%s","size":%d}],"hash_algo":"sha256"}
                """
                        .formatted(operation, oid, size));
    }

    /// The place of an action, as the sandbox would ask for it there.
    String href(HttpResponse<String> batch, String verb) throws IOException {
        JsonNode href = JSON.readTree(batch.body()).at("/objects/0/actions/" + verb + "/href");
        String there = "http://" + DoorRig.HOST + "/";
        if (!href.asText().startsWith(there)) {
            throw new AssertionError(batch.body());
        }
        return boundary.door.url("x").replaceAll("/x\\.git$", "/")
                + href.asText().substring(there.length());
    }

    HttpResponse<String> upload(byte[] content, String oid, long size) throws Exception {
        String href = href(batch("upload", oid, size), "upload");
        return put(href, content);
    }

    HttpResponse<String> put(String href, byte[] content) throws Exception {
        return send(
                HttpRequest.newBuilder(URI.create(href))
                        .PUT(HttpRequest.BodyPublishers.ofByteArray(content)));
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(
                request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    }

    /// Requests that reached the store.
    List<LfsServer.Seen> stored() {
        return server.seen().stream()
                .filter(seen -> !seen.host().equals(DoorRig.HOST.value()))
                .toList();
    }

    @Override
    public void close() {
        client.close();
        boundary.close();
    }
}
