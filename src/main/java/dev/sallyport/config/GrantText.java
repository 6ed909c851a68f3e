package dev.sallyport.config;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ApiRules.ApiKind;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SecretScan;
import dev.sallyport.policy.Word;
import java.util.List;
import java.util.Optional;

/// A [RepoGrant] as text, for whatever leaves the process: the channel, the store, the control API.
/// Its components are the keys of a policy file. An absent list allows everything, an empty one
/// nothing.
public record GrantText(
        String repo,
        String access,
        Optional<List<String>> refsVisible,
        List<String> branches,
        boolean force,
        boolean delete,
        boolean tags,
        List<String> refsTrusted,
        List<String> pathsDenied,
        Optional<List<String>> pathsAllowed,
        long packBytesMax,
        long fileBytesMax,
        int commitsMax,
        String secrets,
        Optional<List<String>> author,
        String mirror,
        Optional<ApiText> api,
        Optional<LfsText> lfs,
        Optional<AskText> ask) {
    /// [ApiRules] as text; absent when the API is closed. Without a forge it is GitHub's.
    public record ApiText(
            String read,
            String checks,
            String pulls,
            String issues,
            boolean rerun,
            List<String> reviewers,
            boolean textCommands,
            Optional<String> forge,
            List<String> ask) {
        static ApiText of(ApiRules rules) {
            return new ApiText(
                    rules.read().label(),
                    rules.checks().label(),
                    rules.pulls().label(),
                    rules.issues().label(),
                    rules.rerun(),
                    rules.reviewers(),
                    rules.textCommands(),
                    Optional.of(rules.forge())
                            .filter(forge -> forge != Forge.GITHUB)
                            .map(Forge::label),
                    words(List.copyOf(rules.ask())));
        }

        ApiRules toRules() {
            return new ApiRules(
                            level(read),
                            level(checks),
                            level(pulls),
                            level(issues),
                            rerun,
                            reviewers,
                            textCommands)
                    .withForge(
                            forge.map(named -> word(Forge.class, named, "forge"))
                                    .orElse(Forge.GITHUB))
                    .withAsk(ask.stream().map(kind -> word(ApiKind.class, kind, "ask")).toList());
        }

        private static ApiLevel level(String word) {
            return word(ApiLevel.class, word, "api");
        }
    }

    /// [AskRules] as text; absent when nobody is asked.
    public record AskText(
            boolean always, List<String> refs, List<String> paths, Optional<Long> overBytes) {
        public AskText {
            refs = List.copyOf(refs);
            paths = List.copyOf(paths);
        }

        static Optional<AskText> of(AskRules rules) {
            return rules.isNone()
                    ? Optional.empty()
                    : Optional.of(
                            new AskText(
                                    rules.always(),
                                    words(rules.refs()),
                                    words(rules.paths()),
                                    rules.overBytes()));
        }

        AskRules toRules() throws MalformedNameException {
            return new AskRules(
                    always,
                    Parsing.all(refs, RefPattern::parseFull),
                    Parsing.all(paths, PathPattern::parse),
                    overBytes);
        }
    }

    /// [LfsRules] as text; absent when large files are not granted.
    public record LfsText(
            String access, long objectBytesMax, long uploadBytesMax, List<String> storage) {
        public LfsText {
            storage = List.copyOf(storage);
        }

        static LfsText of(LfsRules rules) {
            return new LfsText(
                    rules.access().label(),
                    rules.objectBytesMax(),
                    rules.uploadBytesMax(),
                    words(rules.storage()));
        }

        LfsRules toRules() throws MalformedNameException {
            return new LfsRules(
                    word(ApiLevel.class, access, "lfs"),
                    objectBytesMax,
                    uploadBytesMax,
                    Parsing.all(storage, HostPattern::parse));
        }
    }

    public GrantText {
        refsVisible = refsVisible.map(List::copyOf);
        branches = List.copyOf(branches);
        refsTrusted = List.copyOf(refsTrusted);
        pathsDenied = List.copyOf(pathsDenied);
        pathsAllowed = pathsAllowed.map(List::copyOf);
        author = author.map(List::copyOf);
    }

    public static GrantText of(RepoGrant grant) {
        PushRules push = grant.push();
        ContentRules content = push.content();
        return new GrantText(
                grant.repo().text(),
                grant.access().label(),
                grant.visible().patterns().map(GrantText::words),
                words(push.branches()),
                push.force(),
                push.delete(),
                push.tags(),
                words(push.refsTrusted()),
                words(content.pathsDenied()),
                content.pathsAllowed().map(GrantText::words),
                push.packBytesMax(),
                content.fileBytesMax(),
                content.commitsMax(),
                content.secrets().label(),
                content.authors().map(GrantText::words),
                grant.mirror().label(),
                grant.api().isNone() ? Optional.empty() : Optional.of(ApiText.of(grant.api())),
                grant.lfs().isNone() ? Optional.empty() : Optional.of(LfsText.of(grant.lfs())),
                AskText.of(push.ask()));
    }

    /// Parses every name again: the type is the proof that they were.
    ///
    /// @throws IllegalArgumentException for a word or number that no grant has
    public RepoGrant toGrant() throws MalformedNameException {
        Optional<List<RefPattern>> visible = parsed(refsVisible, RefPattern::parseFull);
        return new RepoGrant(
                RepoPattern.parse(repo),
                word(Access.class, access, "access"),
                visible.map(RefVisibility::of).orElse(RefVisibility.all()),
                push(),
                word(MirrorUse.class, mirror, "mirror"),
                api.map(ApiText::toRules).orElse(ApiRules.NONE),
                lfs.isPresent() ? lfs.get().toRules() : LfsRules.NONE);
    }

    private PushRules push() throws MalformedNameException {
        return new PushRules(
                Parsing.all(branches, RefPattern::parse),
                force,
                delete,
                tags,
                packBytesMax,
                new ContentRules(
                        Parsing.all(pathsDenied, PathPattern::parse),
                        parsed(pathsAllowed, PathPattern::parse),
                        fileBytesMax,
                        commitsMax,
                        word(SecretScan.class, secrets, "secrets"),
                        parsed(author, AddressPattern::parse)),
                Parsing.all(refsTrusted, RefPattern::parseFull),
                ask.isPresent() ? ask.get().toRules() : AskRules.NONE);
    }

    private static <W extends Enum<W> & Word> W word(Class<W> words, String text, String key) {
        return Word.of(words, text)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "the word for " + key + " is not known"));
    }

    static List<String> words(List<?> patterns) {
        return patterns.stream().map(Object::toString).toList();
    }

    static <T> Optional<List<T>> parsed(Optional<List<String>> words, Parsing<String, T> parser)
            throws MalformedNameException {
        return words.isPresent() ? Optional.of(Parsing.all(words.get(), parser)) : Optional.empty();
    }
}
