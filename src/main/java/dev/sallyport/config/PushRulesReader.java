package dev.sallyport.config;

import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.SecretScan;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Makes [PushRules] from the `push:` of one repository. What is not written there is standard.
final class PushRulesReader {
    static final List<String> KEYS =
            List.of(
                    "branches",
                    "force",
                    "delete",
                    "tags",
                    "refs-trusted",
                    "paths-denied",
                    "paths-allowed",
                    "pack-bytes-max",
                    "file-bytes-max",
                    "commits-max",
                    "secrets",
                    "author",
                    "ask");

    private static final List<String> ASK_KEYS = List.of("refs", "paths", "over-bytes");

    private static final long TIB = 1L << 40;
    static final LimitRange PACK_BYTES_MAX = new LimitRange(1_024, TIB);
    static final LimitRange FILE_BYTES_MAX = new LimitRange(1, TIB);
    static final LimitRange COMMITS_MAX = new LimitRange(1, 1_000_000);

    private PushRulesReader() {}

    static PushRules read(YamlMapping push) throws ConfigException {
        push.requireOnly(KEYS);
        PushRules standard = PushRules.standard();
        return new PushRules(
                push.list("branches", RefPattern::parse, "agent/**").orElse(standard.branches()),
                push.flag("force").orElse(standard.force()),
                push.flag("delete").orElse(standard.delete()),
                push.flag("tags").orElse(standard.tags()),
                number(push, "pack-bytes-max", PACK_BYTES_MAX, standard.packBytesMax()),
                content(push, standard.content()),
                push.list("refs-trusted", RefPattern::parseFull, "refs/changes/**")
                        .orElse(standard.refsTrusted()),
                ask(push));
    }

    /// `true`, or what is asked about. A mapping without anything in it would ask nobody.
    private static AskRules ask(YamlMapping push) throws ConfigException {
        if (!push.isMapping("ask")) {
            return push.flag("ask").orElse(false) ? AskRules.ALWAYS : AskRules.NONE;
        }
        YamlMapping ask = push.mapping("ask").orElseThrow();
        ask.requireOnly(ASK_KEYS);
        OptionalLong over = ask.number("over-bytes", PACK_BYTES_MAX.min(), PACK_BYTES_MAX.max());
        AskRules rules =
                new AskRules(
                        false,
                        ask.list("refs", RefPattern::parseFull, "refs/heads/main")
                                .orElse(List.of()),
                        ask.list("paths", PathPattern::parse, "src/**").orElse(List.of()),
                        over.isPresent() ? Optional.of(over.getAsLong()) : Optional.empty());
        if (rules.isNone()) {
            throw push.problem(
                    "ask",
                    "says nothing to ask about.",
                    "Write true, or refs, paths or over-bytes.");
        }
        return rules;
    }

    private static ContentRules content(YamlMapping push, ContentRules standard)
            throws ConfigException {
        return new ContentRules(
                push.list("paths-denied", PathPattern::parse, "src/**")
                        .orElse(standard.pathsDenied()),
                push.list("paths-allowed", PathPattern::parse, "src/**"),
                number(push, "file-bytes-max", FILE_BYTES_MAX, standard.fileBytesMax()),
                Math.toIntExact(number(push, "commits-max", COMMITS_MAX, standard.commitsMax())),
                secrets(push, standard.secrets()),
                push.list("author", AddressPattern::parse, "*@bots.example"));
    }

    private static long number(YamlMapping push, String key, LimitRange range, long standard)
            throws ConfigException {
        return push.number(key, range.min(), range.max()).orElse(standard);
    }

    private static SecretScan secrets(YamlMapping push, SecretScan standard)
            throws ConfigException {
        Optional<String> word = push.text("secrets");
        if (word.isEmpty()) {
            return standard;
        }
        Optional<SecretScan> scan = SecretScan.of(word.get());
        if (scan.isEmpty()) {
            throw push.problem("secrets", "is not known.", "Write deny, warn or off.");
        }
        return scan.get();
    }
}
