package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebRulesTest {
    private static final WebRules OPEN = WebRules.STANDARD_OBJECTIONS;

    private static WebRules rules(List<String> methods, List<UrlPattern> paths) {
        return new WebRules(
                new Inspection(
                        Optional.of(new TreeSet<>(methods)),
                        Optional.of(paths),
                        List.of("text/html"),
                        Optional.of(10L),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.empty(),
                        false));
    }

    private static WebRequest request(String method, String path) throws MalformedNameException {
        return new WebRequest(method, UrlPath.parse(path), Optional.empty(), Optional.of(0L));
    }

    private static WebRequest typed(String type, Optional<Long> bytes)
            throws MalformedNameException {
        return new WebRequest("GET", UrlPath.parse("/a"), Optional.of(type), bytes);
    }

    @Test
    void objectsToWhatTheRuleDoesNotList() throws MalformedNameException {
        WebRules rules = rules(List.of("GET"), List.of(UrlPattern.parse("/a/**")));
        assertThat(rules.to(request("GET", "/a/b"))).isEmpty();
        assertThat(rules.to(request("POST", "/a/b"))).contains(Refusal.METHOD_NOT_ALLOWED);
        assertThat(rules.to(request("get", "/a/b"))).contains(Refusal.METHOD_NOT_ALLOWED);
        assertThat(rules.to(request("GET", "/b"))).contains(Refusal.URL_NOT_ALLOWED);
    }

    /// E1, G20: an empty list allows nothing, an absent one everything.
    @Test
    void e1EmptyAllowsNothing() throws MalformedNameException {
        UrlPattern all = UrlPattern.parse("/**");
        assertThat(rules(List.of(), List.of(all)).to(request("GET", "/")))
                .contains(Refusal.METHOD_NOT_ALLOWED);
        assertThat(rules(List.of("GET"), List.of()).to(request("GET", "/")))
                .contains(Refusal.URL_NOT_ALLOWED);
        assertThat(OPEN.to(request("DELETE", "/"))).isEmpty();
    }

    /// E14: a rule that lists it does not allow it either.
    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "CONNECT"})
    void e14SomeMethodsNeverPass(String method) throws MalformedNameException {
        WebRules rules = rules(List.of(method), List.of(UrlPattern.parse("/**")));
        assertThat(rules.to(request(method, "/"))).contains(Refusal.METHOD_NOT_ALLOWED);
        assertThat(OPEN.to(request(method, "/"))).contains(Refusal.METHOD_NOT_ALLOWED);
        assertThat(Policy.standingObjection(request(method, "/")))
                .contains(Refusal.METHOD_NOT_ALLOWED);
    }

    /// G15, G16.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a/info/refs",
                "/info/refs",
                "/a/Info/REFS/",
                "/a/info;x/refs;y",
                "/a/git-upload-pack",
                "/git-receive-pack",
                "/a/git-receive-pack;x",
                "/a/git-upload-archive",
                "/a/info/lfs",
                "/a/info/lfs/locks/verify"
            })
    void g15g16GitsEndpointsNeverPass(String path) throws MalformedNameException {
        assertThat(OPEN.to(request("GET", path))).contains(Refusal.URL_NOT_ALLOWED);
        assertThat(Policy.standingObjection(request("GET", path)))
                .contains(Refusal.URL_NOT_ALLOWED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/refs", "/info", "/info/x/refs", "/lfs/info", "/git-upload-packs"})
    void positiveControlOtherPathsPass(String path) throws MalformedNameException {
        assertThat(OPEN.to(request("GET", path))).isEmpty();
    }

    /// E4.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/dns-message",
                "Application/DNS-Message; x=y",
                " application/dns-message ",
                "text/plain, application/dns-message"
            })
    void e4DnsNeverPasses(String type) throws MalformedNameException {
        assertThat(OPEN.to(typed(type, Optional.empty()))).contains(Refusal.CONTENT_NOT_ALLOWED);
    }

    @Test
    void objectsToTypesAndSizesOfTheRule() throws MalformedNameException {
        WebRules rules = rules(List.of("GET"), List.of(UrlPattern.parse("/**")));
        assertThat(rules.to(typed("TEXT/html;charset=x", Optional.empty())))
                .contains(Refusal.CONTENT_NOT_ALLOWED);
        assertThat(rules.to(typed("a/b,text/html", Optional.empty())))
                .contains(Refusal.CONTENT_NOT_ALLOWED);
        assertThat(rules.to(typed("text/htmlx", Optional.of(10L)))).isEmpty();
        assertThat(rules.to(typed("a/b", Optional.of(11L)))).contains(Refusal.BODY_TOO_LARGE);
        assertThat(rules.to(typed("a/b", Optional.empty()))).isEmpty();
    }
}
