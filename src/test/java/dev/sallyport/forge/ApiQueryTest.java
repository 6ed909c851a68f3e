package dev.sallyport.forge;

import static dev.sallyport.forge.ApiRig.body;
import static dev.sallyport.forge.ApiRig.json;
import static dev.sallyport.forge.ApiRig.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.egress.ScriptedHost;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// The way of a GraphQL query and back; what its judge decides is shown by the judge's own tests.
final class ApiQueryTest {
    private static final String COMMENT =
            "mutation{addComment(input:{subjectId:\"PR_7\",body:\"done\"}){clientMutationId}}";
    private static final String READ = "{repository(owner:\"acme\",name:\"app\"){id}}";

    /// What the host says about a node: a pull request of a repository, from a branch of another.
    private static String pull(String repo, String head, String branch) {
        return json(
                200,
                "{\"data\":{\"nodes\":[{\"sallyport_type\":\"PullRequest\",\"sallyport_repository\":%s,\"sallyport_head\":\"%s\",\"sallyport_from\":%s}]}}"
                        .formatted(repository(repo), branch, repository(head)));
    }

    private static String repository(String name) {
        return "{\"sallyport_name\":\"%s\",\"sallyport_number\":%d}"
                .formatted(name, name.equals("acme/app") ? 42 : 43);
    }

    private static String read(String name, int number) {
        return json(
                200,
                "{\"data\":{\"repository\":{\"id\":\"R_1\",\"sallyport_name\":\"%s\",\"sallyport_number\":%d}}}"
                        .formatted(name, number));
    }

    @Test
    void readsAGrantedRepositoryAndRecordsThat() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> read("acme/app", 42))) {
            String answer = rig.query(READ);

            assertThat(status(answer)).isEqualTo("200");
            assertThat(body(answer)).isEqualTo("{\"data\":{\"repository\":{\"id\":\"R_1\"}}}");
            assertThat(rig.detail("api.request"))
                    .containsEntry("operation", "repository-read")
                    .containsEntry("repo", "github.com/acme/app");
            assertThat(rig.reads.all("repo")).containsExactly("github.com/acme/app");
        }
    }

    @Test
    void g23AsksWhereAnIdLiesBeforeItIsUsedAndRemembersIt() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (_, question) ->
                                question.contains("mutation")
                                        ? json(
                                                200,
                                                "{\"data\":{\"addComment\":{\"clientMutationId\":null}}}")
                                        : pull("acme/app", "acme/app", "agent/fix"))) {
            assertThat(status(rig.query(COMMENT))).isEqualTo("200");
            assertThat(status(rig.query(COMMENT))).isEqualTo("200");

            assertThat(rig.upstream()).hasSize(3).containsOnly("POST /graphql HTTP/1.1");
            assertThat(rig.recorded("api.question")).containsExactly("allow -");
            assertThat(rig.detail("api.request"))
                    .containsEntry("operation", "pull-comment")
                    .containsEntry("head", "agent/fix")
                    .containsEntry("body-characters", "4")
                    .containsKey("body-sha256")
                    .doesNotContainValue("done");
        }
    }

    @Test
    void g23WritesToNoPullRequestThatTheSandboxCouldNotHaveMade() throws Exception {
        for (String other :
                List.of(
                        pull("acme/app", "acme/app", "main"),
                        pull("acme/app", "mallory/app", "agent/fix"),
                        pull("acme/other", "acme/other", "agent/fix"),
                        json(200, "{\"data\":{\"nodes\":[null]},\"errors\":[]}"))) {
            try (ApiRig rig = new ApiRig((_, _) -> other)) {
                String answer = rig.query(COMMENT);

                assertThat(answer).doesNotContain("mallory", "acme/other");
                assertThat(rig.upstream()).as("the question alone").hasSize(1);
                assertThat(rig.host.heads().toString()).doesNotContain("mutation");
                assertThat(rig.recorded("api.failed")).isEmpty();
            }
        }
    }

    @Test
    void refusesWhenTheHostDoesNotSayWhereAnIdLies() throws Exception {
        for (String nothing : List.of(json(200, "{}"), json(200, "x"), json(500, "{}"))) {
            try (ApiRig rig = new ApiRig((_, _) -> nothing)) {
                assertThat(status(rig.query(COMMENT))).isEqualTo("502");
                assertThat(rig.upstream()).hasSize(1);
                assertThat(rig.recorded("api.request")).as("denied").hasSize(1);
                assertThat(rig.doors.heldBytes()).isZero();
            }
        }
    }

    @Test
    void g23HidesWhatHasTakenTheNameOfAGrantedRepository() throws Exception {
        List<Integer> numbers = new java.util.concurrent.CopyOnWriteArrayList<>(List.of(42));
        try (ApiRig rig = new ApiRig((_, _) -> read("acme/app", numbers.getLast()))) {
            assertThat(body(rig.query(READ))).contains("R_1");
            numbers.add(43);

            assertThat(body(rig.query(READ))).doesNotContain("R_1");
        }
    }

    @Test
    void g22PassesOnNothingThatTheQueryDidNotAskFor() throws Exception {
        String more =
                json(
                        200,
                        "{\"data\":{\"repository\":{\"id\":\"R_1\",\"tempCloneToken\":\"AABB\",\"sallyport_name\":\"acme/app\",\"sallyport_number\":42}},\"extensions\":{\"debug\":\"x\"}}");
        try (ApiRig rig = new ApiRig((_, _) -> more)) {
            assertThat(body(rig.query(READ)))
                    .isEqualTo("{\"data\":{\"repository\":{\"id\":\"R_1\"}}}");
        }
    }

    @Test
    void tellsInItsOwnWordsWhyTheHostDoesNotAnswer() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(403, "{\"message\":\"secondary limit\"}"))) {
            String answer = rig.query(READ);

            assertThat(status(answer)).isEqualTo("403");
            assertThat(rig.recorded("api.failed")).containsExactly(" upstream-forbidden");
        }
    }

    @Test
    void p10RefusesWhenTooManyJudgementsWait() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        Limits.standard(),
                        0,
                        peer -> {
                            peer.head();
                            peer.say(read("acme/app", 42));
                        })) {
            assertThat(status(rig.query(READ))).isEqualTo("503");
            assertThat(rig.upstream()).isEmpty();
            assertThat(rig.recorded("api.request")).containsExactly("deny gateway-busy");
        }
    }

    /// Apart they would be two writes here, and two reads and more at the host.
    @Test
    void sendsTheHeadAndTheBodyOfAQueryInOneRecord() throws Exception {
        List<Integer> besideHead = new CopyOnWriteArrayList<>();
        List<Integer> bodies = new CopyOnWriteArrayList<>();
        ScriptedHost.Script script =
                peer -> {
                    while (!peer.head().isEmpty()) {
                        besideHead.add(peer.unreadBytes());
                        bodies.add(peer.readBody().length());
                        peer.say(read("acme/app", 42));
                    }
                };
        try (ApiRig rig = new ApiRig(Limits.standard(), script)) {
            assertThat(status(rig.query(READ))).isEqualTo("200");
        }

        assertThat(besideHead).isEqualTo(bodies).hasSize(1).doesNotContain(0);
    }

    @Test
    void e12KeepsAConnectionUpstreamForOneSessionAndItsRightsOnly() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> read("acme/app", 42))) {
            try (var socket = rig.connected()) {
                String request = "{\"query\":\"" + READ.replace("\"", "\\\"") + "\"}";
                String post =
                        "POST /graphql HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: "
                                + request.length()
                                + "\r\n\r\n"
                                + request;
                for (int i = 0; i < 2; i++) {
                    socket.send(post);
                    String head = socket.head();
                    socket.take(
                            Integer.parseInt(
                                    head.replaceAll("(?s).*content-length: ([0-9]+).*", "$1")));
                }
                assertThat(rig.host.peers).hasSize(1);
                rig.changeRights(
                        ApiRig.grant("github.com/acme/app", ApiRules.standard(Access.READ)));
                socket.send(post);
                assertThat(status(socket.head())).isEqualTo("200");
            }
            assertThat(rig.host.peers).hasSize(2);
        }
    }
}
