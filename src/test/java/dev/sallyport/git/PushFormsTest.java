package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.PushResult;
import org.eclipse.jgit.transport.RemoteRefUpdate;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The forms that pushes of other clients and unusual pushes have.
final class PushFormsTest {
    private static final String PUSH = "/git/" + DoorRig.HOST + "/acme/app.git/git-receive-pack";
    private static final String TYPE = "application/x-git-receive-pack-request";
    private static final String A = "a".repeat(40);
    private static final String B = "b".repeat(40);

    @TempDir static Path dir;
    private static BoundaryRig rig;

    @BeforeAll
    static void start() throws Exception {
        rig = BoundaryRig.standard(dir);
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    private static RemoteRefUpdate jgitPush(String ref) throws Exception {
        try (Repository work = new FileRepositoryBuilder().setWorkTree(rig.work.toFile()).build();
                Transport transport = Transport.open(work, new URIish(rig.door.url("acme/app")))) {
            RemoteRefUpdate update = new RemoteRefUpdate(work, "HEAD", ref, false, null, null);
            PushResult result =
                    transport.push(
                            org.eclipse.jgit.lib.NullProgressMonitor.INSTANCE, List.of(update));
            return result.getRemoteUpdate(ref);
        }
    }

    @Test
    void jgitsCompressedPushArrives() throws Exception {
        rig.commit("jgit.txt", "one line, many times\n".repeat(2_000));

        RemoteRefUpdate taken = jgitPush("refs/heads/agent/jgit");
        RemoteRefUpdate denied = jgitPush("refs/heads/main");

        assertThat(taken.getStatus()).isEqualTo(RemoteRefUpdate.Status.OK);
        assertThat(rig.upstream("refs/heads/agent/jgit"))
                .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
        assertThat(denied.getStatus()).isEqualTo(RemoteRefUpdate.Status.REJECTED_OTHER_REASON);
        assertThat(denied.getMessage()).contains("ref-not-allowed");
        assertThat(rig.upstream("refs/heads/main")).isNotEqualTo(rig.upstream("agent/jgit"));
    }

    private static String gzipped(byte[] body) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        }
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private static String send(String body) throws IOException {
        return RawClient.send(rig.door.port(), RawClient.post(PUSH, TYPE, body));
    }

    private static String sendGzip(String body) throws IOException {
        String type = TYPE + "\r\nContent-Encoding: gzip";
        return RawClient.send(rig.door.port(), RawClient.post(PUSH, type, body));
    }

    private static byte[] list(String ref, String pack) {
        String line = A + " " + B + " " + ref + "\0 report-status";
        return (String.format("%04x", line.length() + 4) + line + "0000" + pack)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void g8ACompressedPushEndsAtTheLimitAndAtItsTrailer() throws Exception {
        long sent = rig.pushesSent();
        byte[] bomb = new byte[2 << 20];
        byte[] head = list("refs/heads/agent/x", "PACK");
        System.arraycopy(head, 0, bomb, 0, head.length);
        String whole = gzipped(list("refs/heads/agent/x", "PACK" + "x".repeat(5_000)));

        try (DoorRig small = rig.doorWithPackLimit(1 << 20)) {
            String request =
                    RawClient.post(PUSH, TYPE + "\r\nContent-Encoding: gzip", gzipped(bomb));
            assertThat(RawClient.send(small.port(), request))
                    .contains("sallyport-reason: body-too-large");
        }
        assertThat(sendGzip(whole.substring(0, whole.length() - 1)))
                .contains("sallyport-reason: bad-request");
        assertThat(sendGzip(whole + "x")).contains("sallyport-reason: bad-request");
        assertThat(sendGzip(gzipped(list("refs/heads/main", "PACK"))))
                .contains("ng refs/heads/main sallyport: ref-not-allowed");
        assertThat(rig.pushesSent()).isEqualTo(sent);
        assertThat(rig.leavesNothing()).isTrue();
    }

    @Test
    void upstreamAnswersGitsProbe() throws Exception {
        int sent = rig.backend.seen().size();
        String taken = send("0000");
        Git.ok(rig.bare, "config", "http.receivepack", "false");
        String refused;
        try {
            refused = send("0000");
        } finally {
            Git.ok(rig.bare, "config", "http.receivepack", "true");
        }

        assertThat(taken)
                .startsWith("HTTP/1.1 200")
                .contains("content-type: application/x-git-receive-pack-result")
                .endsWith("\r\n\r\n0\r\n\r\n");
        assertThat(refused)
                .startsWith("HTTP/1.1 403")
                .contains("sallyport-reason: upstream-forbidden");
        assertThat(rig.backend.seen()).hasSize(sent + 2);
    }

    @Test
    void answersAreKeptOutOfCachesInTheWordsOfGitsServer() throws Exception {
        String refs =
                RawClient.send(
                        rig.door.port(),
                        RawClient.get(
                                "/git/"
                                        + DoorRig.HOST
                                        + "/acme/app.git/info/refs?service=git-upload-pack"));
        for (String answer : List.of(refs, send("0000"))) {
            assertThat(answer)
                    .contains("\r\nexpires: Fri, 01 Jan 1980 00:00:00 GMT\r\n")
                    .contains("\r\npragma: no-cache\r\n")
                    .contains("\r\ncache-control: no-cache, max-age=0, must-revalidate\r\n");
        }
    }

    private static Command.Result pushMany(int count, String prefix) {
        List<String> refs =
                IntStream.range(0, count)
                        .mapToObj(i -> "HEAD:refs/heads/agent/" + prefix + i)
                        .toList();
        return Git.run(
                rig.work,
                Stream.concat(Stream.of("push", "origin"), refs.stream()).toArray(String[]::new));
    }

    @Test
    void tooManyRefsAreExplainedInGitsOwnReport() throws Exception {
        List<String> before = rig.upstreamRefs();
        long sent = rig.pushesSent();

        Command.Result many = pushMany(65, "many-");
        Command.Result tooLong = pushMany(600, "n".repeat(100));

        assertThat(many.err().lines().filter(line -> line.contains("[remote rejected]")))
                .hasSize(65)
                .allMatch(line -> line.contains("sallyport: too-many-refs"));
        assertThat(tooLong.exit()).isNotZero();
        assertThat(tooLong.err())
                .contains("sallyport: too-many-refs")
                .contains("push fewer")
                .contains("remote failed to report status")
                .doesNotContain("HTTP 4");
        assertThat(rig.upstreamRefs()).isEqualTo(before);
        assertThat(rig.pushesSent()).isEqualTo(sent);
        assertThat(pushMany(64, "just-").exit()).isZero();
    }

    @Test
    void aNameThatIsNotUtf8IsExplainedInGitsOwnReport() throws Exception {
        List<String> before = rig.upstreamRefs();
        Path script = dir.resolve("push.sh");
        Files.writeString(
                script,
                "exec git -c http.proxy= push origin \"HEAD:refs/heads/agent/$(printf 'a\\377')\" HEAD:refs/heads/agent/good\n");

        Command.Result push =
                Command.of("sh", script.toString())
                        .in(rig.work)
                        .with("GIT_CONFIG_GLOBAL", "/dev/null")
                        .with("GIT_CONFIG_NOSYSTEM", "1")
                        .run();

        assertThat(push.exit()).isNotZero();
        assertThat(push.err())
                .contains("[remote rejected]")
                .contains("sallyport: ref-name-not-allowed")
                .contains("agent/a%ff")
                .doesNotContain("unknown ref")
                .doesNotContain("HTTP 4");
        assertThat(rig.upstreamRefs()).isEqualTo(before);
        assertThat(rig.door.events)
                .anySatisfy(
                        event ->
                                assertThat(event.detail())
                                        .containsValue("refs/heads/agent/a%ff")
                                        .containsValue("ref-name-not-allowed"));
    }

    /// `push-cert` is not offered: what it would certify is the address of the gateway.
    @Test
    void aSignedPushIsNotOfferedAndGitSaysSo() throws Exception {
        Git.ok(rig.bare, "config", "receive.certNonceSeed", "seed");
        long sent = rig.pushesSent();

        Command.Result must = rig.push("--signed", "HEAD:refs/heads/agent/signed");
        Command.Result may = rig.push("--signed=if-asked", "HEAD:refs/heads/agent/unsigned");

        assertThat(must.exit()).isNotZero();
        assertThat(must.err()).contains("does not support --signed push");
        assertThat(rig.upstream("refs/heads/agent/signed")).isEmpty();
        assertThat(may.exit()).isZero();
        assertThat(rig.pushesSent()).isEqualTo(sent + 1);
    }
}
