package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.QueryName;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.UrlPattern;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// An [EgressRule] as text, for whatever leaves the process: the channel, the store, the control
/// API. Its components are the keys of a policy file. An absent list allows everything, an empty
/// one nothing.
public record EgressText(
        String host,
        List<Integer> ports,
        boolean privateAddresses,
        Optional<String> dial,
        Optional<String> ca,
        Optional<InspectionText> inspection,
        boolean tcp,
        boolean ask,
        String origin) {

    public EgressText {
        ports = List.copyOf(ports);
    }

    /// For TLS and HTTP.
    public EgressText(
            String host,
            List<Integer> ports,
            boolean privateAddresses,
            Optional<String> dial,
            Optional<String> ca,
            Optional<InspectionText> inspection,
            String origin) {
        this(host, ports, privateAddresses, dial, ca, inspection, false, false, origin);
    }

    /// The part of a rule that is about single requests.
    public record InspectionText(
            Optional<List<String>> methods,
            Optional<List<String>> paths,
            List<String> contentTypesDenied,
            Optional<Long> requestBytesMax,
            List<String> jsonDenied,
            List<String> jsonRemoved,
            List<String> jsonIgnored,
            boolean websocket,
            List<String> queryAllowed,
            Optional<InjectionText> inject,
            boolean ask) {}

    /// How a secret is injected.
    ///
    /// @param place `header NAME`, `bearer`, `basic USER` or `query PARAMETER`
    public record InjectionText(String secret, String place, Optional<String> placeholder) {}

    public static EgressText of(EgressRule rule) {
        return new EgressText(
                rule.host().toString(),
                List.copyOf(rule.ports()),
                rule.reach().privateAddresses(),
                rule.reach().dial(),
                rule.reach().caPem(),
                rule.inspection().map(EgressText::text),
                rule.tcp(),
                rule.ask(),
                rule.origin());
    }

    private static InspectionText text(Inspection inspection) {
        return new InspectionText(
                inspection.methods().map(List::copyOf),
                inspection.paths().map(GrantText::words),
                inspection.contentTypesDenied(),
                inspection.requestBytesMax(),
                GrantText.words(inspection.json().denied()),
                GrantText.words(inspection.json().removed()),
                GrantText.words(inspection.json().ignored()),
                inspection.websocket(),
                GrantText.words(inspection.queryAllowed()),
                inspection.injection().map(EgressText::text),
                inspection.ask());
    }

    private static InjectionText text(Injection injection) {
        String place =
                switch (injection.place()) {
                    case Injection.Place.Header(String name) -> "header " + name;
                    case Injection.Place.Bearer() -> "bearer";
                    case Injection.Place.Basic(String user) -> "basic " + user;
                    case Injection.Place.Query(String parameter) -> "query " + parameter;
                    case Injection.Place.AwsSignature(String region, String service) ->
                            "aws-signature " + region + "/" + service;
                };
        return new InjectionText(injection.secret(), place, injection.placeholder());
    }

    /// Parses every name again: the type is the proof that they were.
    ///
    /// @throws IllegalArgumentException for a word that no rule has
    public EgressRule toRule() throws MalformedNameException {
        Optional<Inspection> inspected =
                inspection.isPresent()
                        ? Optional.of(inspection(inspection.get()))
                        : Optional.empty();
        return new EgressRule(
                HostPattern.parse(host),
                new TreeSet<>(ports),
                new Reach(privateAddresses, dial, ca),
                inspected,
                tcp,
                ask,
                origin);
    }

    private static Inspection inspection(InspectionText text) throws MalformedNameException {
        return new Inspection(
                text.methods().map(TreeSet::new),
                GrantText.parsed(text.paths(), UrlPattern::parse),
                text.contentTypesDenied(),
                text.requestBytesMax(),
                JsonRules.parse(text.jsonDenied(), text.jsonRemoved(), text.jsonIgnored()),
                text.websocket(),
                Parsing.all(text.queryAllowed(), QueryName::parse),
                text.inject().map(EgressText::injection),
                text.ask());
    }

    private static Injection injection(InjectionText text) {
        String[] words = text.place().split(" ", 2);
        String argument = words.length == 2 ? words[1] : "";
        Injection.Place place =
                switch (words[0]) {
                    case "header" -> new Injection.Place.Header(argument);
                    case "bearer" -> new Injection.Place.Bearer();
                    case "basic" -> new Injection.Place.Basic(argument);
                    case "query" -> new Injection.Place.Query(argument);
                    case "aws-signature" -> signature(argument);
                    default -> throw new IllegalArgumentException("no such place for a secret");
                };
        return new Injection(text.secret(), place, text.placeholder());
    }

    private static Injection.Place signature(String scope) {
        String[] words = scope.split("/", 2);
        return new Injection.Place.AwsSignature(words[0], words[1]);
    }
}
