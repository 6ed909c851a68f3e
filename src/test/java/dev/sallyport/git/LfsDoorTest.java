package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.LfsServer;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.LfsRules;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What passes the door of Git LFS, and what does not.
final class LfsDoorTest {
    private static final String STOLEN = GitBackend.basic(DoorRig.USER, DoorRig.TOKEN);

    @TempDir static Path dir;
    private static LfsRig common;
    private static int count;

    private LfsRig rig;
    private byte[] content;
    private String oid;

    @BeforeAll
    static void start() throws Exception {
        common = new LfsRig(dir, Access.WRITE, LfsRig.write());
    }

    @AfterAll
    static void stop() {
        common.close();
    }

    /// An object that no test had before.
    @BeforeEach
    void begin() {
        rig = common;
        rig.reset();
        content = LfsRig.bytes(("large file " + ++count + "\n").repeat(1_000));
        oid = LfsRig.oid(content);
    }

    @AfterEach
    void end() {
        if (rig != common) {
            rig.close();
        }
    }

    private void restart(Access access, LfsRules rules) throws Exception {
        rig = new LfsRig(Files.createTempDirectory(dir, "again"), access, rules);
    }

    @Test
    void objectsGoUpAndDownThroughTheDoorAndTheStoreStaysUnknown() throws Exception {
        HttpResponse<String> up = rig.batch("upload", oid, content.length);
        assertThat(up.statusCode()).isEqualTo(200);
        assertThat(rig.put(rig.href(up, "upload"), content).statusCode()).isEqualTo(200);
        String verify = rig.href(up, "verify").substring(rig.base().length());
        String named = "{\"oid\":\"%s\",\"size\":%d}".formatted(oid, content.length);
        assertThat(rig.post(verify, named).statusCode()).isEqualTo(200);
        HttpResponse<String> down = rig.batch("download", oid, content.length);
        HttpResponse<String> got =
                rig.send(HttpRequest.newBuilder(URI.create(rig.href(down, "download"))));

        assertThat(got.body()).isEqualTo(new String(content, StandardCharsets.UTF_8));
        assertThat(up.body() + down.body() + got.headers())
                .doesNotContain(LfsServer.STORE)
                .doesNotContain(LfsServer.STORE_KEY)
                .doesNotContain("signed");
        assertThat(rig.stored())
                .hasSize(2)
                .allMatch(seen -> seen.authorization().equals("Bearer " + LfsServer.STORE_KEY));
        assertThat(rig.server.bodies().getFirst()).contains("\"transfers\":[\"basic\"]");
        assertThat(details("lfs.upload"))
                .containsEntry("oid", oid)
                .containsEntry("size", String.valueOf(content.length))
                .containsEntry("store", LfsServer.STORE);
        assertThat(details("lfs.download")).containsEntry("oid", oid);
        assertThat(details("lfs.batch")).containsEntry("oid-1", oid);
    }

    private Map<String, String> details(String kind) {
        return rig.boundary.door.events.stream()
                .filter(event -> event.kind().equals(kind))
                .map(AuditEvent::detail)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void g26_withoutWriteAccessNothingIsUploaded() throws Exception {
        restart(Access.READ, LfsRig.rules(ApiLevel.WRITE, 1L << 30, 1L << 30));

        HttpResponse<String> batch = rig.batch("upload", oid, content.length);
        HttpResponse<String> put = rig.put(rig.base() + "objects/" + oid, content);

        assertThat(batch.statusCode()).isEqualTo(403);
        assertThat(batch.body()).contains("\"message\":\"Sallyport: Git LFS is not allowed");
        assertThat(put.statusCode()).isEqualTo(403);
        assertThat(rig.server.seen()).isEmpty();
        assertThat(rig.boundary.door.recorded("lfs.batch")).containsExactly("deny lfs-not-allowed");
    }

    @Test
    void g26_anObjectThatIsNotItsHashNeverBegins() throws Exception {
        byte[] other = content.clone();
        other[7] ^= 1;
        HttpResponse<String> put = rig.upload(other, oid, content.length);

        assertThat(put.statusCode()).isEqualTo(403);
        assertThat(put.body()).contains("not the one that its id and size name");
        assertThat(rig.stored()).isEmpty();
        Await.until(() -> rig.boundary.door.spooled().isEmpty());
    }

    /// Above what is spooled, the store sees the beginning and never the end.
    @Test
    void g26_aLargeObjectThatIsNotItsHashNeverEnds() throws Exception {
        byte[] large = new byte[17 << 20];
        large[count] = 1;
        oid = LfsRig.oid(large);
        byte[] other = large.clone();
        other[other.length - 1] = 2;

        HttpResponse<String> wrong = rig.upload(other, oid, large.length);
        boolean there = rig.server.has(oid);
        HttpResponse<String> right = rig.upload(large, oid, large.length);

        assertThat(wrong.statusCode()).isEqualTo(403);
        assertThat(there).isFalse();
        assertThat(right.statusCode()).isEqualTo(200);
        assertThat(rig.server.object(oid)).hasBinaryContent(large);
    }

    @Test
    void g26_moreOrLessThanWasAnnouncedIsRefusedBeforeAnythingIsSent() throws Exception {
        String href = rig.href(rig.batch("upload", oid, content.length), "upload");

        assertThat(rig.put(href, LfsRig.bytes("short")).statusCode()).isEqualTo(403);
        assertThat(rig.stored()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://lfs.attacker.example/objects/x",
                "http://store.lfs.example/objects/x",
                "https://127.0.0.1/objects/x",
                "https://[::1]/objects/x",
                "https://169.254.169.254/latest/meta-data",
                "https://store.lfs.example:8443/objects/x",
                "https://user:pw@store.lfs.example/objects/x",
                "https://store.lfs.example\r\nX: y/objects/x",
                "file:///etc/passwd",
                "//store.lfs.example/objects/x"
            })
    void g26_anotherHostsHrefIsNotFollowed(String href) throws Exception {
        rig.server.twist = (_, _, action) -> action.put("href", href);

        HttpResponse<String> batch = rig.batch("upload", oid, content.length);

        assertThat(batch.body())
                .contains("\"error\"")
                .contains("keeps this object at a host that is not allowed")
                .doesNotContain("\"actions\"");
        assertThat(rig.put(rig.base() + "objects/" + oid, content).statusCode()).isEqualTo(404);
        assertThat(rig.stored()).isEmpty();
    }

    @Test
    void g26_theGitCredentialGoesToNoStore() throws Exception {
        rig.server.twist =
                (_, _, action) -> action.withObject("/header").put("Authorization", STOLEN);

        HttpResponse<String> batch = rig.batch("upload", oid, content.length);

        assertThat(batch.body()).contains("\"error\"").doesNotContain(DoorRig.TOKEN);
        assertThat(batch.body()).doesNotContain(STOLEN.substring("Basic ".length()));
        assertThat(rig.stored()).isEmpty();
    }

    /// As Gitea does.
    @Test
    void aHostThatKeepsItsObjectsItselfGetsItsOwnCredential() throws Exception {
        rig.server.twist =
                (_, named, action) -> {
                    action.put("href", "https://" + DoorRig.HOST + "/objects/" + named);
                    action.putObject("header").put("Authorization", STOLEN);
                };

        HttpResponse<String> batch = rig.batch("upload", oid, content.length);

        assertThat(batch.body()).doesNotContain(STOLEN.substring("Basic ".length()));
        assertThat(rig.put(rig.href(batch, "upload"), content).statusCode()).isEqualTo(200);
        assertThat(rig.server.has(oid)).isTrue();
        assertThat(rig.stored()).isEmpty();
    }

    @Test
    void aDownloadGoesOnWhereItWasCut() throws Exception {
        rig.server.put(content);
        String href = rig.href(rig.batch("download", oid, content.length), "download");
        HttpResponse<String> rest =
                rig.send(
                        HttpRequest.newBuilder(URI.create(href))
                                .header("Range", "bytes=10-" + (content.length - 1)));

        assertThat(rest.statusCode()).isEqualTo(206);
        assertThat(rest.headers().firstValue("content-range"))
                .contains("bytes 10-" + (content.length - 1) + "/" + content.length);
        assertThat(rest.body()).hasSize(content.length - 10);
    }

    @Test
    void anExpiredActionIsAskedForAgain() throws Exception {
        rig.server.put(content);
        rig.server.expired.set(1);
        String href = rig.href(rig.batch("download", oid, content.length), "download");

        HttpResponse<String> first = rig.send(HttpRequest.newBuilder(URI.create(href)));
        HttpResponse<String> unknown = rig.send(HttpRequest.newBuilder(URI.create(href)));
        String again = rig.href(rig.batch("download", oid, content.length), "download");
        HttpResponse<String> second = rig.send(HttpRequest.newBuilder(URI.create(again)));

        assertThat(first.statusCode()).isEqualTo(404);
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(rig.stored()).hasSize(2);
    }

    @Test
    void anObjectAboveTheLimitIsRefusedInTheBatch() throws Exception {
        restart(Access.WRITE, LfsRig.rules(ApiLevel.WRITE, content.length - 1, 1L << 30));

        HttpResponse<String> batch = rig.batch("upload", oid, content.length);

        assertThat(batch.body())
                .contains("a large file is larger than allowed")
                .contains("change lfs: object-bytes-max");
        assertThat(rig.server.seen()).isEmpty();
    }

    @Test
    void uploadsThatNoPushNamesAreBounded() throws Exception {
        restart(Access.WRITE, LfsRig.rules(ApiLevel.WRITE, 1L << 30, content.length + 5L));
        byte[] more = LfsRig.bytes("another");
        String open = rig.href(rig.batch("upload", LfsRig.oid(LfsRig.bytes("five!")), 5), "upload");

        assertThat(rig.upload(content, oid, content.length).statusCode()).isEqualTo(200);
        HttpResponse<String> batch = rig.batch("upload", LfsRig.oid(more), more.length);
        assertThat(batch.body()).contains("as many large files as it may");
        assertThat(rig.put(open, LfsRig.bytes("five!")).statusCode()).isEqualTo(200);
        assertThat(rig.stored()).hasSize(2);
    }

    @Test
    void anObjectWithASecretIsNotUploaded() throws Exception {
        byte[] secret = LfsRig.bytes("key: ghp_" + "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8" + "\n");

        HttpResponse<String> put = rig.upload(secret, LfsRig.oid(secret), secret.length);

        assertThat(put.statusCode()).isEqualTo(403);
        assertThat(put.body()).contains("looks like a credential").doesNotContain("q1W2e3R4");
        assertThat(rig.stored()).isEmpty();
    }

    @Test
    void locksAreListedAndNeverChanged() throws Exception {
        rig.server.locks =
                """
                [{"id":"7","path":"a.bin","locked_at":"2026-01-01T00:00:00Z","owner":{"name":"ada","email":"a@b"},"more":1}]
                """;
        HttpResponse<String> list =
                rig.send(HttpRequest.newBuilder(URI.create(rig.base() + "locks?path=a.bin")));
        HttpResponse<String> verify =
                rig.post("locks/verify", "{\"ref\":{\"name\":\"refs/heads/main\"}}");
        int before = rig.server.seen().size();
        HttpResponse<String> lock = rig.post("locks", "{\"path\":\"a.bin\"}");
        HttpResponse<String> unlock = rig.post("locks/7/unlock", "{\"force\":true}");

        assertThat(list.body())
                .contains("\"path\":\"a.bin\"")
                .contains("ada")
                .doesNotContain("a@b");
        assertThat(verify.body()).contains("\"theirs\":[{\"id\":\"7\"");
        assertThat(lock.statusCode()).isEqualTo(403);
        assertThat(unlock.statusCode()).isEqualTo(403);
        assertThat(unlock.body()).contains("\"message\":\"Sallyport: locks can be listed");
        assertThat(rig.server.seen()).hasSize(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"operation\":\"upload\",\"objects\":[]}",
                "{\"operation\":\"UPLOAD\",\"objects\":[{\"oid\":\"@\",\"size\":1}]}",
                "{\"operation\":\"upload\",\"objects\":[{\"oid\":\"ABC\",\"size\":1}]}",
                "{\"operation\":\"upload\",\"objects\":[{\"oid\":\"@\",\"size\":-1}]}",
                "{\"operation\":\"upload\",\"objects\":[{\"oid\":\"@\",\"size\":1.5}]}",
                "{\"operation\":\"upload\",\"objects\":[{\"oid\":\"@\",\"size\":\"1\"}]}",
                "{\"operation\":\"upload\",\"objects\":[{\"oid\":\"@\",\"size\":99999999999999999999}]}",
                "{\"operation\":\"upload\",\"operation\":\"download\",\"objects\":[{\"oid\":\"@\",\"size\":1}]}",
                "{\"operation\":\"upload\",\"objects\":[{\"oid\":\"@\",\"size\":1}]} {}",
                "{\"operation\":\"upload\",\"transfers\":[\"tus\"],\"objects\":[{\"oid\":\"@\",\"size\":1}]}",
                "{\"operation\":\"upload\",\"hash_algo\":\"md5\",\"objects\":[{\"oid\":\"@\",\"size\":1}]}",
                "{\"operation\":\"upload\",\"unknown\":1,\"objects\":[{\"oid\":\"@\",\"size\":1}]}"
            })
    void aBatchOfAnotherFormGoesNowhere(String body) throws Exception {
        assertThat(rig.post("objects/batch", body.replace("@", oid)).statusCode()).isEqualTo(400);
        assertThat(rig.server.seen()).isEmpty();
    }

    @Test
    void nobodyIsAskedForAPassword() throws Exception {
        rig.server.refuse = 401;

        HttpResponse<String> batch = rig.batch("download", oid, 1);

        assertThat(batch.statusCode()).isEqualTo(403);
        assertThat(batch.body()).contains("the git host refused the credential");
        assertThat(batch.headers().map()).doesNotContainKey("www-authenticate");
    }

    @Test
    void aStoreThatSendsOnIsFollowedOnceAndWithoutACredential() throws Exception {
        rig.server.put(content);
        rig.server.redirect = "https://" + LfsServer.STORE + "/objects/" + oid + "?open=1";
        String href = rig.href(rig.batch("download", oid, content.length), "download");
        HttpResponse<String> got = rig.send(HttpRequest.newBuilder(URI.create(href)));
        rig.server.redirect = "https://" + LfsServer.ELSEWHERE + "/objects/" + oid + "?open=1";
        String foreign = rig.href(rig.batch("download", oid, content.length), "download");
        HttpResponse<String> refused = rig.send(HttpRequest.newBuilder(URI.create(foreign)));

        assertThat(got.statusCode()).isEqualTo(200);
        assertThat(got.body()).hasSize(content.length);
        assertThat(rig.stored().get(1).authorization()).isEmpty();
        assertThat(refused.statusCode()).isEqualTo(502);
        assertThat(rig.stored()).noneMatch(seen -> seen.host().equals(LfsServer.ELSEWHERE));
    }

    @Test
    void nothingMovesWhenItCannotBeRecorded() throws Exception {
        String href = rig.href(rig.batch("upload", oid, content.length), "upload");
        rig.boundary.door.recorderBroken = true;

        assertThat(rig.put(href, content).statusCode()).isEqualTo(503);
        assertThat(rig.batch("download", oid, 1).statusCode()).isEqualTo(503);
        assertThat(rig.stored()).isEmpty();
    }

    private static String pointer(byte[] content) {
        return "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"
                .formatted(LfsRig.oid(content), content.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3 << 20}) // git-lfs reads only the beginning of a file
    void g26_aPointerWhoseObjectUpstreamLacksIsNotPushed(int blanks) throws Exception {
        rig.boundary.commit("assets/model.bin", pointer(content) + " ".repeat(blanks));
        Command push = () -> Git.run(rig.boundary.work, "push", "origin", "HEAD:agent/lfs").err();

        int before = rig.boundary.backend.seen().size();
        String refused = push.run();
        var since = rig.boundary.backend.seen().stream().skip(before);
        boolean went = since.anyMatch(GitBackend.Seen::isPush);
        rig.server.put(content);
        String taken = push.run();

        assertThat(refused).contains("lfs-object-missing", oid, "assets/model.bin");
        assertThat(went).isFalse();
        assertThat(taken).contains("agent/lfs");
        assertThat(rig.boundary.upstream("refs/heads/agent/lfs"))
                .isEqualTo(Git.ok(rig.boundary.work, "rev-parse", "HEAD"));
        assertThat(rig.boundary.door.recorded("lfs.presence")).hasSize(2);
    }

    /// Something that can be done twice.
    private interface Command {
        String run();
    }
}
