package dev.sallyport.egress;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.QueryName;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.UrlPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// A rule for the rig's host, made step by step.
final class WebRule {
    private final Optional<String> dial;
    private final Optional<String> caPem;
    private Optional<SortedSet<String>> methods = Optional.empty();
    private Optional<List<UrlPattern>> paths = Optional.empty();
    private List<String> typesDenied = List.of();
    private Optional<Long> bytesMax = Optional.empty();
    private JsonRules json = JsonRules.NONE;
    private boolean websocket;
    private final List<QueryName> queryAllowed = new ArrayList<>();
    private Optional<Injection> injection = Optional.empty();
    private boolean ask;

    WebRule(String dial, Optional<String> caPem) {
        this.dial = Optional.of(dial);
        this.caPem = caPem;
    }

    WebRule methods(String... names) {
        methods = Optional.of(new TreeSet<>(List.of(names)));
        return this;
    }

    WebRule paths(String... patterns) throws MalformedNameException {
        List<UrlPattern> parsed = new ArrayList<>();
        for (String pattern : patterns) {
            parsed.add(UrlPattern.parse(pattern));
        }
        paths = Optional.of(parsed);
        return this;
    }

    WebRule typesDenied(String... types) {
        typesDenied = List.of(types);
        return this;
    }

    WebRule bytesMax(long bytes) {
        bytesMax = Optional.of(bytes);
        return this;
    }

    WebRule jsonDenied(String... denials) throws MalformedNameException {
        return json(List.of(denials), List.of(), List.of());
    }

    WebRule json(List<String> denied, List<String> removed, List<String> ignored)
            throws MalformedNameException {
        json = JsonRules.parse(denied, removed, ignored);
        return this;
    }

    WebRule websocket() {
        websocket = true;
        return this;
    }

    WebRule queryAllowed(String name) throws MalformedNameException {
        queryAllowed.add(QueryName.parse(name));
        return this;
    }

    WebRule inject(Injection.Place place) {
        injection = Optional.of(new Injection(WebRig.SECRET_NAME, place, Optional.empty()));
        return this;
    }

    WebRule inject(Injection.Place place, String placeholder) {
        injection = Optional.of(new Injection(WebRig.SECRET_NAME, place, Optional.of(placeholder)));
        return this;
    }

    WebRule ask() {
        ask = true;
        return this;
    }

    EgressRule done() {
        Inspection inspection =
                new Inspection(
                        methods,
                        paths,
                        typesDenied,
                        bytesMax,
                        json,
                        websocket,
                        queryAllowed,
                        injection,
                        ask);
        return new EgressRule(
                new HostPattern(HostPattern.Breadth.EXACT, WebRig.HOST),
                new TreeSet<>(List.of(80, 443, 8443)),
                new Reach(false, dial, caPem),
                Optional.of(inspection),
                "policy.yaml:7");
    }
}
