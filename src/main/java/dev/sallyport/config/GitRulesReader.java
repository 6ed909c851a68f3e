package dev.sallyport.config;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
                    "Move it before that entry.");
        }
    }

    private static Access access(YamlMapping entry) throws ConfigException {
        Optional<Access> access = Access.of(entry.requiredText("access"));
        if (access.isEmpty()) {
            throw entry.problem("access", "is not a valid access.", "Write read or write.");
        }
        return access.get();
    }

    private static MirrorUse mirror(YamlMapping entry) throws ConfigException {
        Optional<String> word = entry.text("mirror");
        Optional<MirrorUse> use = MirrorUse.of(word.orElse(MirrorUse.AUTO.label()));
        if (use.isEmpty()) {
            throw entry.problem(
                    "mirror", "is not a valid use of the copy.", "Write auto, on or off.");
        }
        return use.get();
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

        private LfsRulesReader() {}

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
                    number(lfs, "object-bytes-max", standard.objectBytesMax()),
                    number(lfs, "upload-bytes-max", standard.uploadBytesMax()),
                    lfs.list("storage", HostPattern::parse, "lfs.example.com")
                            .orElse(standard.storage()));
        }

        private static ApiLevel level(YamlMapping lfs, ApiLevel most) throws ConfigException {
            Optional<String> word = lfs.text("access");
            if (word.isEmpty()) {
                return most;
            }
            Optional<ApiLevel> level = ApiLevel.of(word.get());
            if (level.isEmpty()) {
                throw lfs.problem("access", "is not a valid level.", "Write off, read or write.");
            }
            if (level.get().compareTo(most) > 0) {
                throw lfs.problem(
                        "access",
                        "is write, but the repository's access is read.",
                        "Write read or off, or set access: write.");
            }
            return level.get();
        }

        private static long number(YamlMapping lfs, String key, long standard)
                throws ConfigException {
            return lfs.number(key, BYTES_MAX.min(), BYTES_MAX.max()).orElse(standard);
        }
    }
}
