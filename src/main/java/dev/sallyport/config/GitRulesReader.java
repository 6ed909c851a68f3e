package dev.sallyport.config;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ApiRules.ApiKind;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SecretScan;
import dev.sallyport.policy.Word;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Makes [GitRule]s from `git:` in a policy file. Each entry can decide something: one that an
/// earlier one covers is an error, because a person who wrote it believes that it holds.
final class GitRulesReader {
    private final Map<HostName, HostKind> hosts;
    private final Map<String, GitRule> seen = new HashMap<>();

    private GitRulesReader(List<GitHost> hosts) {
        this.hosts = hosts.stream().collect(Collectors.toMap(GitHost::name, GitHost::kind));
    }

    static List<GitRule> read(List<YamlMapping> entries, List<GitHost> hosts)
            throws ConfigException {
        GitRulesReader reader = new GitRulesReader(hosts);
        List<GitRule> rules = new ArrayList<>();
        for (YamlMapping entry : entries) {
            rules.add(reader.rule(entry));
        }
        return rules;
    }

    private GitRule rule(YamlMapping entry) throws ConfigException {
        entry.requireOnly(
                List.of("repo", "access", "refs-visible", "mirror", "push", "api", "lfs"));
        RepoPattern repo = repo(entry);
        Access access = access(entry);
        RefVisibility visible =
                entry.list("refs-visible", RefPattern::parseFull, "refs/heads/**")
                        .map(RefVisibility::of)
                        .orElse(RefVisibility.all());
        RepoGrant grant =
                new RepoGrant(repo, access, visible, push(entry, access), mirror(entry))
                        .withApi(api(entry, repo, access))
                        .withLfs(LfsRulesReader.read(entry, access));
        GitRule rule = new GitRule(grant, entry.place());
        seen.put(repo.toString(), rule);
        return rule;
    }

    private RepoPattern repo(YamlMapping entry) throws ConfigException {
        RepoPattern repo;
        try {
            repo = RepoPattern.parse(entry.requiredText("repo"));
        } catch (MalformedNameException e) {
            throw entry.problem(
                    "repo",
                    "is not a repository: " + e.getMessage() + ".",
                    "Write it as host/owner/name or \"host/owner/*\", as in github.com/acme/app.");
        }
        if (!hosts.containsKey(repo.host())) {
            throw entry.problem(
                    "repo",
                    "is on a host that is not allowed.",
                    "Add " + repo.host() + " under hosts:, or correct the name.");
        }
        if (repo.isNested() && !hosts.getOrDefault(repo.host(), HostKind.PLAIN).hasGroups()) {
            throw entry.problem(
                    "repo",
                    "has more than an owner and a name.",
                    "Write host/owner/name, or correct kind of " + repo.host() + " under hosts:.");
        }
        requireReachable(entry, repo);
        return repo;
    }

    private void requireReachable(YamlMapping entry, RepoPattern repo) throws ConfigException {
        GitRule same = seen.get(repo.toString());
        if (same != null) {
            throw entry.problem(
                    "repo",
                    "is already listed (" + same.place() + "); case does not matter.",
                    "Remove one.");
        }
        RepoPattern all = new RepoPattern(repo.host(), repo.owner(), Optional.empty());
        GitRule wider = seen.get(all.toString());
        if (wider != null) {
            throw entry.problem(
                    "repo",
                    "has no effect: " + wider.place() + " covers it and comes first.",
                    "Move it before that rule.");
        }
    }

    private static Access access(YamlMapping entry) throws ConfigException {
        entry.requiredText("access");
        return entry.word("access", Access.class, "is not a valid access.", "Write read or write.")
                .orElseThrow();
    }

    private static MirrorUse mirror(YamlMapping entry) throws ConfigException {
        String wrong = "is not a valid use of the copy.";
        return entry.word("mirror", MirrorUse.class, wrong, "Write auto, on or off.")
                .orElse(MirrorUse.AUTO);
    }

    private ApiRules api(YamlMapping entry, RepoPattern repo, Access access)
            throws ConfigException {
        Optional<Forge> forge = hosts.getOrDefault(repo.host(), HostKind.PLAIN).forge();
        Optional<YamlMapping> api = entry.mapping("api");
        if (api.isEmpty()) {
            return forge.map(ApiRules.standard(access)::withForge).orElse(ApiRules.NONE);
        }
        if (forge.isEmpty()) {
            throw entry.problem(
                    "api",
                    "is for hosts that have an API: GitHub, GitLab, Gitea and Forgejo.",
                    "Remove it, or correct kind of " + repo.host() + " under hosts:.");
        }
        if (entry.has("refs-visible")) {
            throw entry.problem(
                    "api",
                    "cannot be combined with refs-visible, because an API shows all refs.",
                    "Remove one of them.");
        }
        return ApiRulesReader.read(api.get(), access).withForge(forge.get());
    }

    private static PushRules push(YamlMapping entry, Access access) throws ConfigException {
        Optional<YamlMapping> push = entry.mapping("push");
        return switch (access) {
            case WRITE ->
                    push.isPresent() ? PushRulesReader.read(push.get()) : PushRules.standard();
            case READ -> {
                if (push.isPresent()) {
                    throw entry.problem(
                            "push",
                            "has rules for pushes, but access is read.",
                            "Remove it, or set access: write.");
                }
                yield PushRules.none();
            }
        };
    }

    /// Makes [LfsRules] from the `lfs:` of one repository. What is not written there is standard.
    static final class LfsRulesReader {
        static final List<String> KEYS =
                List.of("access", "object-bytes-max", "upload-bytes-max", "storage");

        static final LimitRange BYTES_MAX = new LimitRange(1, 1L << 44);

        static LfsRules read(YamlMapping entry, Access access) throws ConfigException {
            LfsRules standard = LfsRules.standard(access);
            Optional<YamlMapping> given = entry.mapping("lfs");
            if (given.isEmpty()) {
                return standard;
            }
            YamlMapping lfs = given.get();
            lfs.requireOnly(KEYS);
            return new LfsRules(
                    level(lfs, standard.access()),
                    lfs.number("object-bytes-max", BYTES_MAX).orElse(standard.objectBytesMax()),
                    lfs.number("upload-bytes-max", BYTES_MAX).orElse(standard.uploadBytesMax()),
                    lfs.list("storage", HostPattern::parse, "lfs.example.com")
                            .orElse(standard.storage()));
        }

        private static ApiLevel level(YamlMapping lfs, ApiLevel most) throws ConfigException {
            String wrong = "is not a valid level.";
            ApiLevel level =
                    lfs.word("access", ApiLevel.class, wrong, "Write off, read or write.")
                            .orElse(most);
            if (level.compareTo(most) > 0) {
                throw lfs.problem(
                        "access",
                        "is write, but the repository's access is read.",
                        "Write read or off, or set access: write.");
            }
            return level;
        }
    }

    /// Makes [ApiRules] from the `api:` of one repository. What is not written there is standard.
    static final class ApiRulesReader {
        static final List<String> KEYS =
                List.of(
                        "read",
                        "checks",
                        "pulls",
                        "issues",
                        "rerun",
                        "reviewers",
                        "text-commands",
                        "ask");

        private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,38}");

        static ApiRules read(YamlMapping api, Access access) throws ConfigException {
            api.requireOnly(KEYS);
            ApiRules standard = ApiRules.standard(access);
            ApiRules rules =
                    new ApiRules(
                            level(api, "read", standard.read(), ApiLevel.READ),
                            level(api, "checks", standard.checks(), ApiLevel.READ),
                            level(api, "pulls", standard.pulls(), ApiLevel.WRITE),
                            level(api, "issues", standard.issues(), ApiLevel.WRITE),
                            api.flag("rerun").orElse(standard.rerun()),
                            api.list("reviewers", ApiRulesReader::login, "octocat")
                                    .orElse(standard.reviewers()),
                            api.flag("text-commands").orElse(standard.textCommands()));
            if (access == Access.READ && rules.pulls() == ApiLevel.WRITE) {
                throw api.problem(
                        "pulls",
                        "is write, but access is read: a pull request comes from a pushed branch.",
                        "Write read or off, or set access: write.");
            }
            return rules.withAsk(ask(api));
        }

        /// `true` for whatever changes something, or the kinds.
        private static List<ApiKind> ask(YamlMapping api) throws ConfigException {
            if (api.isList("ask")) {
                return api.list("ask", ApiRulesReader::kind, "pulls").orElse(List.of());
            }
            return api.flag("ask").orElse(false) ? List.of(ApiKind.values()) : List.of();
        }

        private static ApiKind kind(String word) throws MalformedNameException {
            return Word.of(ApiKind.class, word)
                    .orElseThrow(
                            () ->
                                    new MalformedNameException(
                                            "it is none of pulls, issues and rerun"));
        }

        private static ApiLevel level(YamlMapping api, String key, ApiLevel standard, ApiLevel most)
                throws ConfigException {
            String words = most == ApiLevel.WRITE ? "off, read or write." : "off or read.";
            String wrong = "is not a valid level.";
            ApiLevel level =
                    api.word(key, ApiLevel.class, wrong, "Write " + words).orElse(standard);
            if (api.has(key) && level.compareTo(most) > 0) {
                throw api.problem(key, wrong, "Write " + words);
            }
            return level;
        }

        private static String login(String text) throws MalformedNameException {
            if (!LOGIN.matcher(text).matches()) {
                throw new MalformedNameException("a login is made of letters, digits and hyphens");
            }
            return text;
        }
    }

    /// Makes [PushRules] from the `push:` of one repository. What is not written there is standard.
    static final class PushRulesReader {
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

        static PushRules read(YamlMapping push) throws ConfigException {
            push.requireOnly(KEYS);
            PushRules standard = PushRules.standard();
            return new PushRules(
                    push.list("branches", RefPattern::parse, "agent/**")
                            .orElse(standard.branches()),
                    push.flag("force").orElse(standard.force()),
                    push.flag("delete").orElse(standard.delete()),
                    push.flag("tags").orElse(standard.tags()),
                    push.number("pack-bytes-max", PACK_BYTES_MAX).orElse(standard.packBytesMax()),
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
            Optional<Long> over = ask.number("over-bytes", PACK_BYTES_MAX);
            AskRules rules =
                    new AskRules(
                            false,
                            ask.list("refs", RefPattern::parseFull, "refs/heads/main")
                                    .orElse(List.of()),
                            ask.list("paths", PathPattern::parse, "src/**").orElse(List.of()),
                            over);
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
                    push.number("file-bytes-max", FILE_BYTES_MAX).orElse(standard.fileBytesMax()),
                    push.number("commits-max", COMMITS_MAX)
                            .map(Math::toIntExact)
                            .orElse(standard.commitsMax()),
                    secrets(push, standard.secrets()),
                    push.list("author", AddressPattern::parse, "*@bots.example"));
        }

        private static SecretScan secrets(YamlMapping push, SecretScan standard)
                throws ConfigException {
            return push.word(
                            "secrets",
                            SecretScan.class,
                            "is not known.",
                            "Write deny, warn or off.")
                    .orElse(standard);
        }
    }
}
