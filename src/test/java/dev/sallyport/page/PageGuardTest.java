package dev.sallyport.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;

/// Which requests a browser may have been made to send by somebody else.
class PageGuardTest {
    private static final String HOST = "127.47.11.1:4711";
    private static final String ORIGIN = "http://" + HOST;
    private static final PageDoor.PageGuard GUARD = new PageDoor.PageGuard(HOST);

    private static HttpRequest get(String path, String... fields) {
        return request(HttpMethod.GET, path, fields);
    }

    private static HttpRequest post(String... fields) {
        HttpRequest request = request(HttpMethod.POST, "/v1/approvals/x", fields);
        request.headers().add("content-type", "application/json");
        return request;
    }

    private static HttpRequest request(HttpMethod method, String path, String... fields) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, path);
        request.headers().add("host", HOST);
        for (int i = 0; i < fields.length; i += 2) {
            request.headers().add(fields[i], fields[i + 1]);
        }
        return request;
    }

    private static int status(HttpRequest request) {
        return GUARD.objection(request).map(status -> status.code()).orElse(200);
    }

    @Test
    void thePageItselfAndALinkThatAPersonOpensPass() {
        assertThat(status(get("/", "sec-fetch-site", "none"))).isEqualTo(200);
        assertThat(status(get("/v1/sandboxes", "sec-fetch-site", "same-origin"))).isEqualTo(200);
        assertThat(status(post("sec-fetch-site", "same-origin", "origin", ORIGIN))).isEqualTo(200);
    }

    @Test
    void anotherNameForThisAddressIsRefused() {
        for (String host :
                new String[] {
                    "evil.example:4711",
                    "localhost:4711",
                    "127.0.0.1:4711",
                    "127.47.11.1",
                    "127.47.11.1:4712",
                    "127.47.11.1.:4711",
                    ""
                }) {
            HttpRequest rebound = get("/", "sec-fetch-site", "same-origin");
            rebound.headers().set("host", host);
            assertThat(status(rebound)).as(host).isEqualTo(421);
        }
        HttpRequest two = get("/", "sec-fetch-site", "same-origin");
        two.headers().add("host", "evil.example");
        assertThat(status(two)).isEqualTo(421);
        HttpRequest none = get("/", "sec-fetch-site", "same-origin");
        none.headers().remove("host");
        assertThat(status(none)).isEqualTo(421);
    }

    @Test
    void whatAnotherSiteOrAnotherPortSendsIsRefused() {
        for (String site : new String[] {"cross-site", "same-site", "", "none, same-origin"}) {
            assertThat(status(get("/", "sec-fetch-site", site))).as(site).isEqualTo(403);
            assertThat(status(post("sec-fetch-site", site, "origin", ORIGIN)))
                    .as(site)
                    .isEqualTo(403);
        }
        assertThat(status(get("/v1/sandboxes", "sec-fetch-site", "none"))).isEqualTo(403);
        assertThat(status(get("/"))).as("no word of where from").isEqualTo(403);
        for (String origin :
                new String[] {"http://127.0.0.1:3000", "null", "https://" + HOST, ORIGIN + "/"}) {
            assertThat(status(post("sec-fetch-site", "same-origin", "origin", origin)))
                    .as(origin)
                    .isEqualTo(403);
            assertThat(status(get("/", "sec-fetch-site", "same-origin", "origin", origin)))
                    .as(origin)
                    .isEqualTo(403);
        }
        assertThat(status(post("sec-fetch-site", "same-origin"))).isEqualTo(403);
    }

    @Test
    void aFormOfAnotherSiteCannotSendJson() {
        HttpRequest form = post("sec-fetch-site", "same-origin", "origin", ORIGIN);
        form.headers().set("content-type", "text/plain");
        assertThat(status(form)).isEqualTo(403);
    }

    @Test
    void otherMethodsAndFormsOfATargetAreRefused() {
        assertThat(status(request(HttpMethod.PUT, "/", "sec-fetch-site", "same-origin")))
                .isEqualTo(405);
        assertThat(status(get(ORIGIN + "/", "sec-fetch-site", "same-origin"))).isEqualTo(400);
    }
}
