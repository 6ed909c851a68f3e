package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a person sees of sandboxes that another gateway with the same store has.
class ElsewhereCommandsTest {
    private static final String SECRETS =
            "{\"secrets\":[{\"name\":\"key\",\"host\":\"api.example.com\",\"user\":null,\"updated\":\"-\",\"kind\":\"token\",\"rotated\":null,\"sandboxes\":[\"work\"],\"login\":null}]}";

    @TempDir Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        shell = new Shell(warden.home(), directory);
        warden.answer("GET /v1/status", 200, CommandsTest.STATUS);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(shell.out());
    }

    private static String with(String gateway, String session) {
        return CommandsTest.VIEW
                .replace("\"session\":\"s1\"", "\"session\":\"" + session + "\"")
                .replace("\"published\":[]", "\"published\":[],\"gateway\":" + gateway);
    }

    private static String gateway(String id, String address, boolean here, boolean holds) {
        return "{\"id\":\"%s\",\"address\":%s,\"here\":%b,\"holds\":%b}"
                .formatted(id, address, here, holds);
    }

    @Test
    void sandboxesOfOtherGatewaysAreListedWithThese() throws IOException {
        String here = with(gateway("0f", "null", true, true), "s1");
        warden.answer("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + here + "],\"damaged\":[]}")
                .answer("GET /v1/fleet/sandboxes", 200, "{\"sandboxes\":[],\"next\":null}");
        assertThat(shell.run("", "list")).isZero();
        assertThat(shell.out())
                .as("nothing is elsewhere")
                .contains("work")
                .doesNotContain("GATEWAY");

        String there = with(gateway("1f", "\"gw2.example.com:8443\"", false, true), "s2");
        String nobody = with(gateway("2f0123456789abcdef", "null", false, false), "s3");
        String moved = with(gateway("1f", "null", false, true), "s1");
        warden.answer(
                "GET /v1/fleet/sandboxes",
                200,
                "{\"sandboxes\":[%s,%s,%s],\"next\":null}".formatted(nobody, there, moved));
        assertThat(shell.run("", "list")).isZero();
        assertThat(shell.out().lines().map(line -> line.replaceAll(" {2,}", "|")))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("|LAST USED|GATEWAY|WORKSPACE"),
                        line -> assertThat(line).contains("|here|"),
                        line -> assertThat(line).contains("|gw2.example.com:8443|"),
                        line -> assertThat(line).contains("|none, was id 2f0123456789|"));
        assertThat(shell.err()).containsOnlyOnce("this session ends at noon");
        assertThat(shell.run("", "list", "--json")).isZero();
        assertThat(json().at("/sandboxes/1/gateway/address").asText())
                .isEqualTo("gw2.example.com:8443");
        assertThat(json().at("/sandboxes/0/gateway/here").asBoolean()).isTrue();
        assertThat(json().at("/sandboxes/2/gateway/holds").asBoolean(true)).isFalse();
    }

    @Test
    void whatIsHereIsListedAlsoWhenNothingIsKnownOfOtherGateways() throws IOException {
        String here = with(gateway("0f", "null", true, true), "s1");
        String problem = "{\"code\":\"failed\",\"message\":\"The store is away.\",\"remedy\":\"\"}";
        warden.answer("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + here + "],\"damaged\":[]}")
                .answer("GET /v1/fleet/sandboxes", 500, problem);
        assertThat(shell.run("", "list", "--json")).isZero();
        assertThat(json().path("sandboxes")).hasSize(1);
        assertThat(shell.err())
                .contains("sandboxes of other gateways are not listed: The store is away.");
        warden.answer("GET /v1/fleet/sandboxes", 404, problem);
        assertThat(shell.run("", "list")).isZero();
        assertThat(shell.err()).as("a daemon that knows of none").doesNotContain("not listed");
    }

    @Test
    void allPagesOfSandboxesOfOtherGatewaysAreRead() throws IOException {
        String there = with(gateway("1f", "null", false, true), "s2");
        warden.answer("GET /v1/sandboxes", 200, "{\"sandboxes\":[],\"damaged\":[]}")
                .answer(
                        "GET /v1/fleet/sandboxes {\"after\":null}",
                        200,
                        "{\"sandboxes\":[" + there + "],\"next\":\"s2\"}")
                .answer(
                        "GET /v1/fleet/sandboxes {\"after\":\"s2\"}",
                        200,
                        "{\"sandboxes\":[" + there.replace("s2", "s3") + "],\"next\":null}");
        assertThat(shell.run("", "list", "--json")).isZero();
        assertThat(json().path("sandboxes")).hasSize(2);
    }

    @Test
    void aSandboxOfAnotherGatewayIsShownAndNothingElseIsDoneToIt() {
        String elsewhere =
                "{\"code\":\"elsewhere\",\"message\":\"gw2 has it.\",\"remedy\":\"Run this there.\"}";
        String there = with(gateway("1f", "\"gw2.example.com:8443\"", false, true), "s2");
        warden.answer("GET /v1/sandboxes/work", 421, elsewhere)
                .answer("DELETE /v1/sandboxes/work", 421, elsewhere)
                .answer("GET /v1/fleet/sandboxes/work", 200, there)
                .answer("GET /v1/secrets", 200, SECRETS);
        assertThat(shell.run("", "show", "work")).isZero();
        assertThat(shell.out()).doesNotContain("api.example.com");
        assertThat(shell.out())
                .containsPattern(
                        "gateway +gw2.example.com:8443\\n +run commands for this sandbox there");
        assertThat(shell.run("", "destroy", "work")).isEqualTo(ExitCode.CONFLICT.status());
        assertThat(shell.err()).contains("gw2 has it.", "Run this there.");
        assertThat(shell.run("", "exec", "work", "--", "true")).isEqualTo(125);
        assertThat(shell.err()).contains("gw2 has it.");
        assertThat(warden.asked()).noneMatch(line -> line.contains("/exec"));
        warden.answer("GET /v1/sandboxes/work", 200, CommandsTest.VIEW);
        assertThat(shell.run("", "show", "work")).isZero();
        assertThat(shell.out()).as("control").contains("key (token) for api.example.com");
    }

    @Test
    void watchOfASandboxThatDoesNotExistEnds() {
        warden.answer(
                "GET /v1/sandboxes/nosuch",
                404,
                "{\"code\":\"not-found\",\"message\":\"There is no sandbox named nosuch.\",\"remedy\":\"\"}");
        assertThat(shell.run("", "watch", "nosuch")).isEqualTo(ExitCode.NOT_FOUND.status());
        assertThat(shell.err()).contains("There is no sandbox named nosuch.");
        assertThat(shell.out()).isEmpty();
    }
}
