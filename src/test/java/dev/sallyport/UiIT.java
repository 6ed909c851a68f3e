package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Browser;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.OrdinaryUser;
import dev.sallyport.page.Page;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The page in Debian's Chromium: what people see, and what others cannot do with it.
class UiIT {
    private static UiRig rig;

    @BeforeAll
    static void startEverything() throws IOException {
        rig = new UiRig(UiRig.ASKING);
    }

    @AfterAll
    static void stopEverything() {
        rig.close();
    }

    @AfterEach
    void closeBrowsers() {
        rig.closeBrowsers();
    }

    @Test
    void twoPeopleWatchAPushArriveAndBeRefused() {
        Browser ann = rig.person();
        Browser bob = rig.person();
        ann.awaitText("#sandboxes-list", UiRig.BOX);
        assertThat(ann.text("#sandboxes-list")).contains("running", GitServer.HOST + "/acme/app");
        String before = GitServer.git(rig.upstream, "rev-parse", "main");

        assertThat(rig.push("refs/heads/main", "no").exit()).isNotZero();

        for (Browser person : List.of(ann, bob)) {
            person.awaitText("#decisions-list", "push to " + GitServer.HOST + "/acme/app");
            person.awaitText("#pushes-list", "refs/heads/main");
            person.awaitText("#refusals-list", "ref-not-allowed");
            assertThat(person.text("#pushes-list")).contains("denied");
            assertThat(person.text("#refusals-list")).contains("To allow it:", "policy apply");
            person.awaitText("#traffic-list", GitServer.HOST);
            person.awaitText("#proof-text", "intact");
        }
        assertThat(GitServer.git(rig.upstream, "rev-parse", "main")).isEqualTo(before);
        assertThat(rig.push("refs/heads/agent/yes", "yes").ok()).isEmpty();
        ann.awaitText("#pushes-list", "taken");
    }

    @Test
    void whatASandboxWritesStaysText() {
        Browser browser = rig.person();
        String hostile = "<img/src=x/onerror=document.title=1>\"'";
        assertThat(rig.push("refs/heads/agent/" + hostile, "x").ok()).isEmpty();
        assertThat(rig.push("refs/heads/agent/a\u202eb", "x").exit()).isNotZero();
        Process asking =
                rig.start(
                        UiRig.commit("<script>document.title=1</script>")
                                + " && git push -q origin HEAD:refs/heads/agent/ask/hostile");

        browser.awaitText("#pushes-list", "agent/" + hostile);
        browser.awaitText("#decisions-list", "agent/" + hostile);
        browser.awaitText("#approvals-list", "<script>document.title=1</script>");
        browser.awaitText("#pushes-list", "ref-name-not-allowed");
        assertThat(browser.text("main")).doesNotContain("\u202e");
        assertThat(
                        browser.value("document.querySelectorAll('main img, main script').length")
                                .asInt())
                .isZero();
        assertThat(browser.value("document.title").asText()).isEqualTo("(1) Sallyport");
        assertThat(
                        browser.value(
                                        """
                                        (() => { try { document.body.innerHTML = '<b>'; return 'written'; } catch (e) { return e.name; } })()
                                        """)
                                .asText())
                .as("even a script that would write markup could not")
                .isEqualTo("TypeError");
        browser.click("#approvals-list button.no");
        UiRig.end(asking);
    }

    @Test
    void aLinkThatWasUsedAndABrowserWithoutACookieShowNothing() {
        Browser first = rig.browser();
        String link = rig.link();
        first.open(link);
        first.awaitText("#state", "Live");
        assertThat(first.value("location.href").asText()).doesNotContain("login");

        Browser second = rig.browser();
        second.open(link);
        second.awaitText("#welcome", "This link was used already");
        assertThat(second.value("document.getElementById('content').hidden").asBoolean()).isTrue();
        assertThat(second.text("main")).doesNotContain(UiRig.BOX);
        assertThat(second.value("fetch('/v1/sandboxes').then(a => a.status)").asInt())
                .isEqualTo(401);

        Browser third = rig.browser();
        third.open(link.substring(0, link.indexOf('#')));
        third.awaitText("#welcome", "You are not logged in");
        first.click("#logout");
        first.awaitText("#welcome", "You are logged out");
        assertThat(first.value("fetch('/v1/sandboxes').then(a => a.status)").asInt())
                .isEqualTo(401);
    }

    /// A server on another port is the same site to a browser and gets the page's cookie.
    @Test
    void g6AnotherSiteInTheSameBrowserGetsNothingAndChangesNothing() throws IOException {
        Browser browser = rig.person();
        String own = browser.value("location.origin").asText();
        List<String> seen = new CopyOnWriteArrayList<>();
        try (ServerSocket other = new ServerSocket(0, 16, InetAddress.ofLiteral(Page.ADDRESS))) {
            Thread.ofVirtual().start(() -> serve(other, seen));
            browser.open("http://" + Page.ADDRESS + ":" + other.getLocalPort() + "/");
            Await.until(() -> browser.value("document.readyState").asText().equals("complete"));
            assertThat(seen.toString()).as("why a cookie alone is no proof").contains("sallyport-");
            String attack =
                    """
                    (async () => {
                      const said = [];
                      for (const [path, method] of [['/v1/sandboxes', 'GET'], ['/v1/logout', 'POST'], ['/', 'GET']]) {
                        for (const mode of ['no-cors', 'cors']) {
                          try {
                            const answer = await fetch('OWN' + path, {method, mode, credentials: 'include', body: method === 'POST' ? '{}' : undefined});
                            said.push(answer.type + ' ' + answer.status + (await answer.text()));
                          } catch (e) { said.push('refused'); }
                        }
                      }
                      const frame = document.createElement('iframe');
                      frame.src = 'OWN/';
                      document.body.append(frame);
                      await new Promise(done => { frame.onload = done; frame.onerror = done; });
                      try { said.push('frame ' + frame.contentDocument.body.innerText); } catch (e) { said.push('refused'); }
                      const form = document.createElement('form');
                      form.action = 'OWN/v1/logout'; form.method = 'post'; form.target = 'x'; form.enctype = 'text/plain';
                      document.body.append(form);
                      form.submit();
                      return said.join('\\n');
                    })()
                    """
                            .replace("OWN", own);
            assertThat(browser.value(attack).asText())
                    .doesNotContain("200", UiRig.BOX, "Live decisions");
        }
        Browser same = browser;
        same.open(own + "/");
        same.awaitText("#state", "Live");
    }

    private static void serve(ServerSocket server, List<String> seen) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                byte[] head = new byte[8_192];
                seen.add(
                        new String(
                                head,
                                0,
                                client.getInputStream().read(head),
                                StandardCharsets.US_ASCII));
                String page = "<!doctype html><title>other</title><body>other";
                client.getOutputStream()
                        .write(
                                ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: "
                                                + page.length()
                                                + "\r\n\r\n"
                                                + page)
                                        .getBytes(StandardCharsets.US_ASCII));
            } catch (IOException | IndexOutOfBoundsException e) {
                // The next one, or the end.
            }
        }
    }

    @Test
    void i16ANameThatWasReboundToThisAddressIsRefused() {
        int port = rig.port();
        Browser browser = rig.browser("--host-resolver-rules=MAP evil.example " + Page.ADDRESS);
        browser.open("http://evil.example:" + port + "/");
        browser.awaitText("body", "Misdirected Request");
    }

    @Test
    void g6TheSessionAndTheLinkOfOneAccountAreOfNoUseToAnother() {
        Browser browser = rig.person();
        String cookie = UiRig.cookie(browser);
        String origin = browser.value("location.origin").asText();
        String[] steal = {
            "curl",
            "-sS",
            "-H",
            "Sec-Fetch-Site: same-origin",
            "-b",
            cookie,
            origin + "/v1/sandboxes"
        };
        try (OrdinaryUser other = OrdinaryUser.create()) {
            Command.Result stolen = other.command(steal).run();
            assertThat(stolen.exit()).as(stolen.all()).isNotZero();
            assertThat(stolen.out()).isEmpty();
            String[] login = login(origin, rig.link());
            assertThat(other.command(login).run().out()).isEmpty();
            assertThat(Command.of(login).run().ok()).as("still ours").contains("HttpOnly");
        }
        assertThat(Command.of(steal).run().ok()).as("control").contains(UiRig.BOX);
    }

    private static String[] login(String origin, String link) {
        return new String[] {
            "curl",
            "-sS",
            "-i",
            "-H",
            "Sec-Fetch-Site: same-origin",
            "-H",
            "Origin: " + origin,
            "-H",
            "Content-Type: application/json",
            "-d",
            "{\"link\":\"" + link.substring(link.indexOf('=') + 1) + "\"}",
            origin + "/v1/login"
        };
    }

    @Test
    void i16ASandboxCannotReachThePage() {
        int port = rig.port();
        String place = Page.ADDRESS + ":" + port;
        String url = "http://" + place + "/";
        String curl = "curl -sS -m 60 -H 'Host: " + place + "' -H 'Sec-Fetch-Site: none' ";
        assertThat(Command.of("bash", "-c", curl + url).run().ok())
                .as("control: the host can")
                .contains("<title>Sallyport</title>");
        for (String way :
                List.of(
                        curl + url,
                        curl + "-x http://127.0.0.1:3128 " + url,
                        curl + "-p -x http://127.0.0.1:3128 " + url,
                        curl + "http://localhost:" + port + "/",
                        curl + "http://gateway.sallyport:" + port + "/",
                        curl + "--connect-to ::" + place + " http://gateway.sallyport/")) {
            assertThat(rig.inside(way).all()).as(way).doesNotContain("<title>Sallyport");
        }
        for (String[] more :
                List.of(
                        new String[] {"--allow", place},
                        new String[] {"--allow-tcp", place},
                        new String[] {"--allow-tcp", "localhost:" + port},
                        new String[] {"--publish", port + ":3000"},
                        new String[] {"--publish", place + ":3000"},
                        new String[] {"--publish", "0.0.0.0:" + port + ":3000"})) {
            Command.Result asked =
                    rig.sallyport
                            .sallyport(
                                    "run",
                                    "--runtime",
                                    "bubblewrap",
                                    "--no-repo",
                                    more[0],
                                    more[1],
                                    "--",
                                    "bash",
                                    "-c",
                                    curl + url + "; " + curl + "http://localhost:" + port + "/")
                            .run();
            assertThat(asked.all()).as(String.join(" ", more)).doesNotContain("<title>Sallyport");
        }
    }

    @Test
    void aPersonAllowsAHostWithTwoClicksAndThatIsRecorded() {
        Browser browser = rig.person();
        rig.inside("getent hosts allowed-here.example");
        browser.awaitText("#refusals-list", "sallyport allow box allowed-here.example");
        String button =
                "[...document.querySelectorAll('#refusals-list li')]"
                        + ".find(row => row.textContent.includes('allowed-here.example'))"
                        + ".querySelectorAll('button')[1]";
        browser.value(button + ".focus()");
        browser.value(button + ".click()");
        assertThat(browser.value(button + ".textContent").asText())
                .isEqualTo("Allow allowed-here.example to box?");
        assertThat(rig.sallyport.sallyport("show", UiRig.BOX).run().ok())
                .doesNotContain("allowed-here.example");
        browser.value(button + ".click()");
        Await.until(() -> browser.value(button + ".textContent").asText().equals("Allowed"));
        assertThat(rig.sallyport.sallyport("show", UiRig.BOX).run().ok())
                .contains("allowed-here.example");
        assertThat(rig.record()).contains("session.allow");
    }

    @Test
    void theRestOfTheControlApiIsNotThere() {
        Browser browser = rig.person();
        String tried =
                """
                (async () => {
                  const said = [];
                  for (const [method, path] of [['POST', '/v1/sandboxes/box/exec'], ['POST', '/v1/sandboxes/box/stop'], ['GET', '/v1/secrets'],
                      ['POST', '/v1/shutdown'], ['POST', '/v1/page'], ['POST', '/v1/sandboxes'], ['GET', '/v1/audit']]) {
                    const answer = await fetch(path, {method, headers: {'Content-Type': 'application/json'}, body: method === 'POST' ? '{}' : undefined});
                    said.push(answer.status);
                  }
                  return [...new Set(said)].sort().join(' ');
                })()
                """;
        assertThat(browser.value(tried).asText()).isEqualTo("404 405");
        assertThat(rig.inside("true").exit()).as("nothing was stopped").isZero();
    }

    @Test
    void thePageIsThereWhenAskedForAndGoneWhenStopped() {
        Browser browser = rig.person();
        int port = rig.port();
        assertThat(rig.sallyport.sallyport("ui", "--port", "1").run().all())
                .contains("The page is open on port " + port);
        assertThat(rig.sallyport.sallyport("ui", "--stop").run().ok()).contains("closed");
        browser.awaitText("#state", "does not answer");
        assertThat(PortsRig.listens(Page.ADDRESS, port)).isFalse();
        assertThat(rig.record()).contains("page.open", "page.login", "page.close");
        String again = rig.sallyport.sallyport("ui", "--port", String.valueOf(port)).run().ok();
        assertThat(again).contains("http://" + Page.ADDRESS + ":" + port + "/#login=");
    }
}
