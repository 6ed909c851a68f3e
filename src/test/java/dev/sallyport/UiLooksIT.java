package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Browser;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Whether everybody can use the page: axe-core finds nothing, in light and dark, with something on
/// it and without; nothing sticks out from 320 pixels to 4k. `-Dui.shots=DIR` keeps pictures.
class UiLooksIT {
    private static final int[][] SIZES = {{320, 640}, {768, 1024}, {1366, 768}, {3840, 2160}};

    private static UiRig rig;
    private static String axe;

    @BeforeAll
    static void startEverything() throws IOException {
        rig = new UiRig(UiRig.ASKING);
        rig.push("refs/heads/main", "no");
        rig.push("refs/heads/agent/" + "long-".repeat(30), "yes").ok();
        rig.inside(
                "getent hosts "
                        + "a-rather-long-name.".repeat(4)
                        + "example; getent hosts x.example");
        rig.sallyport
                .sallyport("new", "--name", "idle", "--runtime", "bubblewrap", "--no-repo")
                .run()
                .ok();
        Path directory = Files.createDirectory(rig.root.resolve("axe"));
        Command.of("npm", "install", "--silent", "--no-audit", "--no-fund", "axe-core@4")
                .in(directory)
                .within(Duration.ofMinutes(5))
                .run()
                .ok();
        axe = Files.readString(directory.resolve("node_modules/axe-core/axe.min.js"));
    }

    @AfterAll
    static void stopEverything() {
        rig.close();
    }

    /// What axe-core has to say; its own script needs what the page's policy forbids.
    private static String violations(Browser browser) {
        browser.value(axe + "; 'there'");
        return browser.value(
                        """
                        axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(
                            v => v.id + ': ' + v.nodes.map(n => n.target + ' ' + n.failureSummary).join('; ')))
                        """)
                .toString();
    }

    private static void assertClean(Browser browser, String as) {
        assertThat(violations(browser)).as(as).isEqualTo("[]");
    }

    private static void assertNothingSticksOut(Browser browser, String as) {
        assertThat(
                        browser.value(
                                        "document.documentElement.scrollWidth - document.documentElement.clientWidth")
                                .asInt())
                .as(as)
                .isLessThanOrEqualTo(0);
    }

    @Test
    void axeFindsNothingAndNothingSticksOutAtAnySizeInLightAndDark() throws IOException {
        Browser browser = rig.browser();
        browser.ask("Page.setBypassCSP", Map.of("enabled", true));
        browser.open(rig.link());
        browser.awaitText("#state", "Live");
        browser.awaitText("#proof-text", "intact");
        browser.awaitText("#refusals-list", "x.example");
        browser.awaitText("#traffic-list", GitServer.HOST);
        Process asking =
                rig.startPush(
                        "refs/heads/agent/ask/look", "Rewrite the parser of the configuration");
        browser.awaitText("#approvals-list", "Rewrite the parser");
        browser.click("#decisions-list summary");
        for (String scheme : new String[] {"light", "dark"}) {
            browser.scheme(scheme);
            for (int[] size : SIZES) {
                String name = scheme + "-" + size[0];
                browser.size(size[0], size[1]);
                assertNothingSticksOut(browser, name);
                assertClean(browser, name);
                shoot(browser, name);
            }
        }
        browser.click("#approvals-list button.no");
        UiRig.end(asking);
        browser.click("#logout");
        browser.awaitText("#welcome", "logged out");
        browser.size(320, 640);
        assertClean(browser, "logged out");
        shoot(browser, "logged-out");
        browser.value("document.body.append(document.createElement('img'))");
        assertThat(violations(browser)).as("control").contains("image-alt");
    }

    private static void shoot(Browser browser, String name) throws IOException {
        String wanted = System.getProperty("ui.shots", "");
        if (!wanted.isEmpty()) {
            browser.screenshot(Path.of(wanted).resolve(name + ".png"));
        }
    }

    @Test
    void everythingCanBeDoneWithTheKeyboard() {
        Browser browser = rig.person();
        browser.awaitText("#refusals-list", "x.example");
        press(browser, "Tab");
        assertThat(focused(browser)).contains("Skip to content");
        String reached = "";
        for (int i = 0; i < 60; i++) {
            press(browser, "Tab");
            reached += focused(browser) + "\n";
        }
        assertThat(reached).contains("Log out", "Refusals", "Pause", "Copy", "Check again");
        browser.value("document.getElementById('pause').focus()");
        press(browser, "Enter");
        assertThat(browser.value("document.getElementById('pause').ariaPressed").asText())
                .isEqualTo("true");
    }

    private static String focused(Browser browser) {
        return browser.value("document.activeElement.innerText ?? ''").asText();
    }

    private static void press(Browser browser, String key) {
        int code = key.equals("Tab") ? 9 : 13;
        for (String type : new String[] {"rawKeyDown", "char", "keyUp"}) {
            if (type.equals("char") && code == 9) {
                continue;
            }
            browser.ask(
                    "Input.dispatchKeyEvent",
                    Map.of(
                            "type",
                            type,
                            "key",
                            key,
                            "code",
                            key,
                            "windowsVirtualKeyCode",
                            code,
                            "text",
                            type.equals("char") ? "\r" : ""));
        }
    }
}
