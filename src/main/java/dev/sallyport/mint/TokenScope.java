package dev.sallyport.mint;

import dev.sallyport.credential.MintedTokens.Use;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// What one token is good for: repositories of one owner, because an App is installed for an owner,
/// and what may be done with them. Tokens for git and for the API are never the same: with the
/// rights that a push needs, an API merges.
///
/// @param names of repositories in lower case; empty for all of the owner's on which the App is
///   installed, as a grant of `owner/*` says
/// @param permissions by GitHub's names, `read` or `write`
public record TokenScope(
        HostName host,
        Use use,
        String owner,
        NavigableSet<String> names,
        NavigableMap<String, String> permissions) {
    private static final String READ = "read";
    private static final String WRITE = "write";
    private static final String WORKFLOW = ".github/workflows/any.yml";

    public TokenScope {
        owner = owner.toLowerCase(Locale.ROOT);
        names = Collections.unmodifiableNavigableSet(new TreeSet<>(names));
        permissions = Collections.unmodifiableNavigableMap(new TreeMap<>(permissions));
    }

    /// What a session with these grants needs at a host: as little as its rules allow, and as few
    /// tokens as that takes. Those for git come first.
    public static List<TokenScope> of(HostName host, List<RepoGrant> grants) {
        Map<TokenScope, NavigableSet<String>> names = new LinkedHashMap<>();
        for (Use use : Use.values()) {
            for (RepoGrant grant : grants) {
                NavigableMap<String, String> needed =
                        use == Use.GIT ? forGit(grant) : forApi(grant.api());
                if (grant.repo().host().equals(host) && !needed.isEmpty()) {
                    collect(names, host, use, grant.repo(), needed);
                }
            }
        }
        return names.entrySet().stream().map(e -> e.getKey().only(e.getValue())).toList();
    }

    /// A grant for all of an owner's repositories has a token of its own: one with names is for
    /// these alone.
    private static void collect(
            Map<TokenScope, NavigableSet<String>> found,
            HostName host,
            Use use,
            RepoPattern repo,
            NavigableMap<String, String> permissions) {
        NavigableSet<String> mark = new TreeSet<>(repo.isWildcard() ? List.of() : List.of("*"));
        TokenScope key = new TokenScope(host, use, repo.owner(), mark, permissions);
        NavigableSet<String> names = found.computeIfAbsent(key, _ -> new TreeSet<>());
        repo.name().map(name -> name.toLowerCase(Locale.ROOT)).ifPresent(names::add);
    }

    private static NavigableMap<String, String> forGit(RepoGrant grant) {
        boolean write = grant.access() == Access.WRITE;
        NavigableMap<String, String> needed = new TreeMap<>();
        needed.put("metadata", READ);
        needed.put("contents", write ? WRITE : READ);
        if (write && allowsWorkflows(grant.push().content())) {
            needed.put("workflows", WRITE);
        }
        return needed;
    }

    private static boolean allowsWorkflows(ContentRules rules) {
        return rules.pathsDenied().stream().noneMatch(p -> p.matches(WORKFLOW))
                && rules.pathsAllowed().stream()
                        .allMatch(list -> list.stream().anyMatch(p -> p.matches(WORKFLOW)));
    }

    private static NavigableMap<String, String> forApi(ApiRules rules) {
        NavigableMap<String, String> needed = new TreeMap<>();
        if (rules.isNone()) {
            return needed;
        }
        needed.put("metadata", READ);
        put(needed, "contents", rules.allows(ApiOperation.REPOSITORY_READ), false);
        put(
                needed,
                "pull_requests",
                rules.allows(ApiOperation.PULL_READ),
                rules.allows(ApiOperation.PULL_OPEN));
        put(
                needed,
                "issues",
                rules.allows(ApiOperation.ISSUE_READ),
                rules.allows(ApiOperation.ISSUE_OPEN));
        boolean checks = rules.allows(ApiOperation.CHECKS_READ);
        put(needed, "checks", checks, false);
        put(needed, "statuses", checks, false);
        put(needed, "actions", checks, rules.allows(ApiOperation.RERUN));
        return needed;
    }

    private static void put(
            Map<String, String> needed, String permission, boolean read, boolean write) {
        if (read || write) {
            needed.put(permission, write ? WRITE : READ);
        }
    }

    /// The same for these repositories.
    public TokenScope only(Collection<String> chosen) {
        return new TokenScope(host, use, owner, new TreeSet<>(chosen), permissions);
    }

    /// The same without what an App may not do, as it says itself.
    public TokenScope within(Map<String, String> granted) {
        NavigableMap<String, String> left = new TreeMap<>();
        permissions.forEach(
                (name, level) ->
                        least(level, granted.getOrDefault(name, ""))
                                .ifPresent(least -> left.put(name, least)));
        return new TokenScope(host, use, owner, names, left);
    }

    private static Optional<String> least(String wanted, String granted) {
        if (granted.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(granted.equals(READ) ? READ : wanted);
    }

    /// Whether whoever may have this token may have the other one, too.
    public boolean covers(TokenScope other) {
        boolean repositories =
                names.isEmpty() || (!other.names.isEmpty() && names.containsAll(other.names));
        return host.equals(other.host)
                && use == other.use
                && owner.equals(other.owner)
                && repositories
                && covers(other.permissions);
    }

    /// Whether this allows all of it.
    boolean covers(Map<String, String> asked) {
        return asked.entrySet().stream().allMatch(e -> allows(e.getKey(), e.getValue()));
    }

    private boolean allows(String permission, String level) {
        String own = permissions.getOrDefault(permission, "");
        return own.equals(level) || (own.equals(WRITE) && level.equals(READ));
    }

    /// Whether it serves git as it was meant to; of an API everything serves something.
    boolean serves(TokenScope wanted) {
        return use == Use.API
                || allows("contents", wanted.permissions.getOrDefault("contents", ""));
    }

    public Access access() {
        return allows("contents", WRITE) ? Access.WRITE : Access.READ;
    }

    /// As grants name them.
    public List<RepoPattern> repos() {
        List<RepoPattern> repos = new ArrayList<>();
        names.forEach(name -> repos.add(new RepoPattern(host, owner, Optional.of(name))));
        return names.isEmpty() ? List.of(new RepoPattern(host, owner, Optional.empty())) : repos;
    }

    /// For people and the record.
    public String repositories() {
        return names.isEmpty() ? owner + "/*" : owner + "/" + String.join(" " + owner + "/", names);
    }

    /// For people and the record.
    public String allowed() {
        List<String> words = new ArrayList<>();
        permissions.forEach((name, level) -> words.add(name + ":" + level));
        return String.join(" ", words);
    }
}
