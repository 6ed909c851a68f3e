package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The secrets that the installation holds are planted wherever a sandbox or an upstream can write,
/// in many spellings, and looked for in everything that any process says or writes. Neither has the
/// shape of a known token: what finds them is that they are held.
class RedactionIT {
    private static final String API = "api.redaction.example";
    private static final String TOKEN = "pl4nted+T0ken/with=odd&chars.0042Zq";
    private static final String KEY = "planted-key-7f3a91c55e0b4d2284-A9x";

    /// Of a spelling, so much in an output is a find.
    private static final int FOUND_CHARACTERS = 24;

    private static Path root;
    private static GitServer git;
    private static WebServer web;
    private static Installation sallyport;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-redact");
        web = WebServer.start(root.resolve("web"), API);
        Path server = Files.createDirectory(root.resolve("git"));
        git = GitServer.start(server, front());
        git.accept(TOKEN);
        git.repository("acme", "app");
        git.repository("acme", "refs");
        Files.writeString(
                git.repository("acme", "refusing").resolve("hooks/pre-receive"),
                "#!/bin/sh\ncat >&2 <<'EOF'\nrefused "
                        + String.join("\nbecause of ", spellings(TOKEN).values())
                        + "\nEOF\nexit 1\n");
        Files.setPosixFilePermissions(
                git.repositories().resolve("acme/refusing.git/hooks/pre-receive"),
                PosixFilePermissions.fromString("rwxr-xr-x"));
        GitServer.git(
                git.repositories().resolve("acme/refs.git"),
                "branch",
                "leak-" + spellings(TOKEN).get("hex"),
                "main");
        sallyport = Installation.bare(root.resolve("i"));
        configure();
    }

    /// Answers of a git host that repeat the token.
    private static GitServer.Front front() {
        String all = String.join(" ", spellings(TOKEN).values()).replace("\\", "");
        return new GitServer.Front(
                List.of(GitServer.HOST),
                "auth_basic \"git\"; auth_basic_user_file @ROOT@/users;",
                """
                location /acme/broken.git { return 500 "failed: $http_authorization %1$s"; }
                location /acme/closed.git { add_header WWW-Authenticate 'Basic realm="%2$s"' always; return 401 "%1$s"; }
                location /acme/moved.git { return 302 https://elsewhere.example/%2$s/; }
                location /acme/odd.git { add_header X-Debug "$http_authorization" always; return 404 "none"; }
                """
                        .formatted(all, spellings(TOKEN).get("base64")),
                "");
    }

    private static void configure() throws IOException {
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        Files.copy(git.caFile(), sallyport.home().resolve("git-ca.pem"));
        sallyport.policy(
                """
                hosts:
                  - {name: %1$s, kind: plain, ca-file: git-ca.pem, dial: "%2$s"}
                git:
                  - {repo: "%1$s/acme/*", access: write}
                egress:
                  - host: %3$s
                    ports: [443]
                    methods: [GET, POST]
                    paths: ["/echo", "/hello.txt", "/posted/**"]
                    inject: {secret: api, header: x-api-key}
                    dial: "%4$s"
                    ca-file: web-ca.pem
                """
                        .formatted(GitServer.HOST, git.dial(), API, web.dial()));
        sallyport
                .sallyport(
                        "secret", "set", "git", "--host", GitServer.HOST, "--user", GitServer.USER)
                .input(TOKEN + "\n")
                .run()
                .ok();
        sallyport.sallyport("secret", "set", "api", "--host", API).input(KEY + "\n").run().ok();
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        git.close();
        web.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Map<String, String> spellings(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.US_ASCII);
        Map<String, String> all = new LinkedHashMap<>();
        all.put("plain", secret);
        all.put("percent", each(secret, "%%%02x"));
        all.put("base64", Base64.getEncoder().encodeToString(bytes));
        all.put(
                "pair",
                Base64.getEncoder()
                        .encodeToString(("git:" + secret).getBytes(StandardCharsets.US_ASCII))
                        .substring(6));
        all.put("url64", Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
        all.put("hex", HexFormat.of().formatHex(bytes));
        all.put("json", each(secret, "\\u%04x"));
        all.put("html", each(secret, "&#%d;"));
        return all;
    }

    private static String each(String text, String format) {
        return text.chars().mapToObj(format::formatted).collect(Collectors.joining());
    }

    /// What must be in no output.
    private static List<String> forbidden(String... secrets) {
        return Stream.of(secrets)
                .flatMap(secret -> spellings(secret).values().stream())
                .map(s -> s.substring(0, Math.min(FOUND_CHARACTERS, s.length())))
                .flatMap(s -> Stream.of(s, s.replace("\\", "\\\\")))
                .distinct()
                .toList();
    }

    private static void sandbox(String name) {
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        name,
                        "--runtime",
                        "bubblewrap",
                        "--ephemeral-home",
                        "--repo",
                        GitServer.HOST + "/acme/*")
                .run()
                .ok();
    }

    private static Command.Result inside(String name, String script) {
        return sallyport
                .sallyport("exec", name, "--", "bash", "-u", "-s")
                .input(script)
                .within(Duration.ofMinutes(10))
                .run();
    }

    @Test
    void P1_whatASandboxWritesAnywhereLeavesNoSecretInAnyOutput() throws IOException {
        List<String> names = List.copyOf(spellings(TOKEN).keySet());
        List<String> outputs = new ArrayList<>(plantAll(names));
        outputs.addAll(said(sallyport, names));
        outputs.addAll(written(sallyport));
        assertNothingIn(outputs, forbidden(TOKEN, KEY));
        String record = sallyport.sallyport("audit", "show").run().ok();
        assertThat(record)
                .as("positive control: it was refused at each door, and recorded without it")
                .contains("git.push", "git.request", "egress.request", "egress.connect")
                .contains("dns.denied", "lfs.", "http.refused", "[redacted]");
        assertThat(web.requests()).as("it was used").anyMatch(line -> line.contains(KEY));
    }

    /// One sandbox for each spelling. Most of what they do is to wait, so they do it side by side.
    private static List<String> plantAll(List<String> names) {
        try (ExecutorService side = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<List<String>>> planted =
                    names.stream()
                            .map(name -> CompletableFuture.supplyAsync(() -> plant(name), side))
                            .toList();
            return planted.stream().flatMap(said -> said.join().stream()).toList();
        }
    }

    private static List<String> plant(String spelling) {
        sandbox(spelling);
        String token = spellings(TOKEN).get(spelling);
        String web = WEB.replace("@S@", spellings(KEY).get(spelling));
        inside(spelling, web + (WEB + GIT).replace("@S@", token)).ok();
        return Stream.of("why", "policy")
                .map(page -> inside(spelling, "curl -sS http://gateway.sallyport/" + page).ok())
                .toList();
    }

    @Test
    void P1_whatAnUpstreamAnswersLeavesNoSecretInAnyOutput() throws IOException {
        sandbox("upstream");
        List<String> outputs = new ArrayList<>();
        outputs.add(inside("upstream", ANSWERS).all());
        assertThat(outputs.getFirst()).as("positive control").contains("hello from", "pushed: 1");
        outputs.addAll(said(sallyport, List.of("upstream")));
        outputs.addAll(written(sallyport));
        assertNothingIn(outputs, forbidden(TOKEN, KEY));
        assertThat(git.requests())
                .as("they answered")
                .anyMatch(line -> line.contains("/broken.git"));
    }

    /// Texts, names, queries and fields for the API of a hosting service, by its own client.
    @Test
    void P1_whatASandboxTellsAnApiLeavesNoSecretInAnyOutput() throws IOException {
        try (GithubRig rig = new GithubRig()) {
            List<String> outputs = new ArrayList<>();
            for (String spelling : List.of("plain", "pair", "hex", "json")) {
                String spelled = spellings(FakeGithub.TOKEN).get(spelling);
                rig.inside(CALLS.replace("@S@", spelled)).ok();
            }
            outputs.add(rig.inside("curl -sS http://gateway.sallyport/why").ok());
            outputs.addAll(said(rig.sallyport(), List.of("box")));
            outputs.addAll(written(rig.sallyport()));
            assertNothingIn(outputs, forbidden(FakeGithub.TOKEN));
            assertThat(rig.sallyport().sallyport("audit", "show").run().ok())
                    .as("positive control")
                    .contains("api.request", "[redacted]", "title-sha256");
        }
    }

    private static void assertNothingIn(List<String> outputs, List<String> forbidden) {
        for (String output : outputs) {
            for (String secret : forbidden) {
                int at = output.indexOf(secret);
                assertThat(at < 0 ? "" : output.substring(Math.max(0, at - 300), at)).isEmpty();
            }
        }
    }

    /// What the command line says about it.
    private static List<String> said(Installation sallyport, List<String> names) {
        String first = names.getFirst();
        List<String> commands =
                new ArrayList<>(
                        List.of(
                                "list",
                                "list --json",
                                "status",
                                "secret list --json",
                                "audit show",
                                "audit show --json",
                                "audit show --denied",
                                "audit export --format ocsf",
                                "audit export --format otlp",
                                "audit verify",
                                "policy explain https://" + API + "/posted/x",
                                "show " + first,
                                "show --json " + first,
                                "denials --json " + first));
        names.forEach(name -> commands.addAll(List.of("denials " + name, "audit report " + name)));
        List<String> outputs = new ArrayList<>();
        commands.forEach(line -> outputs.add(sallyport.sallyport(line.split(" ")).run().all()));
        String record = outputs.get(4);
        Pattern.compile(" id=(\\S+)")
                .matcher(record)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .limit(6)
                .forEach(id -> outputs.add(sallyport.sallyport("audit", "why", id).run().all()));
        outputs.add(watched(sallyport));
        return outputs;
    }

    private static String watched(Installation sallyport) {
        return Command.of(
                        "timeout",
                        "5",
                        Path.of("sallyport").toAbsolutePath().toString(),
                        "watch",
                        "--follow",
                        "--last",
                        "1000")
                .with("SALLYPORT_HOME", sallyport.home().toString())
                .run()
                .all();
    }

    /// The record, the logs, the store: all files but those that hold the secrets, and what
    /// upstream has in its repositories.
    private static List<String> written(Installation sallyport) throws IOException {
        Path secrets = sallyport.home().resolve("secrets");
        Path mirrors = sallyport.home().resolve("mirrors");
        List<String> texts = new ArrayList<>();
        try (Stream<Path> all = Files.walk(sallyport.home())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.startsWith(secrets) && !file.startsWith(mirrors)) {
                    texts.add(
                            file
                                    + "\n"
                                    + new String(
                                            Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
                }
            }
        }
        assertThat(texts).anyMatch(text -> text.contains("audit.jsonl\n"));
        assertThat(texts).anyMatch(text -> text.contains("gateway.log\n"));
        return texts;
    }

    /// Each place that a program inside can write to. What it gets back is its own text. Several
    /// wait for what never comes, so all of them run at once.
    private static final String WEB =
            """
            exec >/dev/null 2>&1
            S='@S@'; API=https://%1$s
            ask() { curl -sS -g --path-as-is -m 60 "$@" & }
            ask "$API/posted/$S"; ask "$API/other/$S"; ask "$API/posted/x?key=$S"; ask "$API/echo?$S"
            ask -H "x-planted: $S" -A "$S" -e "https://$S/" -b "c=$S" "$API/hello.txt"; ask -H "x-planted: $S" "$API/other"
            ask -H "$S: planted" "$API/hello.txt"; ask -d "$S" "$API/posted/y"; ask -X "$S" "$API/hello.txt"; wait
            ask -u "u:$S" "$API/hello.txt"; ask -u "$S:p" "$API/other"; ask "http://u:$S@%1$s/hello.txt"; ask "https://$S@%1$s/other"
            ask --http1.1 "$API/other/$S"; ask -H "Host: $S" "$API/hello.txt"; ask -H "Host: $S" http://gateway.sallyport/policy
            ask --http1.1 -m 3 -H 'Upgrade: websocket' -H 'Connection: Upgrade' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' -H "Sec-WebSocket-Protocol: $S" "$API/posted/$S"; wait
            ask "http://gateway.sallyport/$S"; ask "http://gateway.sallyport/why?host=$S"; ask "http://gateway.sallyport/why?host=$S.example"
            ask "https://$S.example/"; ask "http://$S.example/"; ask --connect-to "$S.example:443:%1$s:443" "https://$S.example/"
            getent hosts "$S.example" & getent hosts "${S:0:60}.${S:60}.example" & getent hosts "$S" & wait
            raw() { timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; printf "%%b" "$1" >&3; cat <&3' "$@" & }
            for port in 80 3128; do
              raw $port "GET /$S HTTP/1.1\\r\\nHost: $S\\r\\n\\r\\n"; raw $port "$S / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"; raw $port "GET / $S\\r\\n\\r\\n"
              raw $port "GET / HTTP/1.1\\r\\nHost: a\\r\\nX: $S\\r\\nContent-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
              raw $port "CONNECT $S:443 HTTP/1.1\\r\\nHost: $S:443\\r\\n\\r\\n"; raw $port "CONNECT u:$S@%1$s:443 HTTP/1.1\\r\\nHost: %1$s:443\\r\\n\\r\\n"
              raw $port "GET http://$S/ HTTP/1.1\\r\\nHost: $S\\r\\n\\r\\n"; raw $port "GET http://other.example/$S HTTP/1.1\\r\\nHost: other.example\\r\\nProxy-Authorization: Basic $S\\r\\n\\r\\n"
            done
            printf '%%s' "$S" | timeout 3 openssl s_client -connect %1$s:443 -servername "$S" &
            wait
            """
                    .formatted(API);

    private static final String GIT =
            """
            export GIT_TERMINAL_PROMPT=0; GIT=https://%1$s; GATE=http://gateway.sallyport/git/%1$s/acme
            git ls-remote "$GIT/acme/$S" & git ls-remote "$GIT/$S/app" & git ls-remote "https://u:$S@%1$s/acme/app" & git ls-remote "https://$S.example/acme/app" & wait
            ask "$GATE/$S.git/info/refs?service=git-upload-pack"; ask "$GATE/app.git/info/refs?service=$S"; ask "$GATE/app.git/$S"
            lfs() { ask -H 'Content-Type: application/vnd.git-lfs+json' -H 'Accept: application/vnd.git-lfs+json' "$@"; }
            lfs -d '{"operation":"upload","transfers":["basic"],"ref":{"name":"refs/heads/'"$S"'"},"objects":[{"oid":"'"$S"'","size":1}]}' "$GATE/app.git/info/lfs/objects/batch"
            lfs -d '{"operation":"'"$S"'"}' "$GATE/app.git/info/lfs/objects/batch"; lfs "$GATE/app.git/info/lfs/locks?path=$S"; lfs -d '{"path":"'"$S"'"}' "$GATE/app.git/info/lfs/locks"; lfs "$GATE/app.git/info/lfs/$S"; wait
            cd "$(mktemp -d)" && git clone -q $GIT/acme/app . && git config user.name "$S" && git config user.email "${S//[^A-Za-z0-9]/x}@test.example"
            mkdir -p .github/workflows "dir-${S//\\//-}"; echo "$S" > ".github/workflows/${S//\\//-}"; echo x > "dir-${S//\\//-}/f"
            git add -A; git commit -qm "message $S"
            for ref in "agent/$S" "$S" "main"; do git push -o "$S" origin "HEAD:refs/heads/$ref"; done
            git push origin "HEAD:refs/heads/agent/$S" "HEAD:refs/tags/$S"; git fetch origin "refs/heads/$S"
            true
            """
                    .formatted(GitServer.HOST);

    private static final String CALLS =
            """
            exec >/dev/null 2>&1
            S='@S@'; API=https://api.github.com
            gh issue create -R acme/app --title "$S" --body "see $S" & gh issue create -R acme/app --title fine --body "$S" --label "$S" &
            gh api "repos/acme/$S" & gh api "repos/acme/app/issues?labels=$S" & gh api "repos/acme/app/contents/$S" & gh api "users/$S" & wait
            gh api graphql -f query='{repository(owner:"acme",name:"'"$S"'"){id}}' & gh api graphql -f query="$S" &
            gh api -H "X-Planted: $S" repos/acme/app & gh api -X DELETE "repos/acme/app/git/refs/heads/$S" & gh pr create -R acme/app --title "$S" --body b --head "$S" &
            curl -s -m 60 -H "Authorization: Bearer $S" "$API/repos/acme/app" & curl -s -m 60 -g "$API/$S" & wait
            """;

    /// Asks those that answer with the token.
    private static final String ANSWERS =
            """
            exec 2>&1; export GIT_TERMINAL_PROMPT=0; GIT=https://%2$s/acme
            curl -sS https://%1$s/hello.txt; curl -sS -i https://%1$s/echo; curl -sS -i --http2 https://%1$s/echo
            for repo in broken closed moved odd refs; do
              git ls-remote $GIT/$repo; git clone $GIT/$repo /tmp/$repo; curl -sS -i "http://gateway.sallyport/git/%2$s/acme/$repo.git/info/refs?service=git-upload-pack" | tr -d '\\0'
              curl -sS -i -H 'Content-Type: application/vnd.git-lfs+json' -d '{"operation":"download","objects":[]}' http://gateway.sallyport/git/%2$s/acme/$repo.git/info/lfs/objects/batch
            done
            cd "$(mktemp -d)" && git clone -q $GIT/refusing . && git -c user.name=A -c user.email=a@test.example commit -q --allow-empty -m x
            git push origin HEAD:refs/heads/agent/x; echo "pushed: $?"
            curl -sS http://gateway.sallyport/why; curl -sS http://gateway.sallyport/policy
            """
                    .formatted(API, GitServer.HOST);
}
