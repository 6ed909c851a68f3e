package dev.sallyport.policy;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// What the person who runs a sandbox can do so that what was denied is allowed. Made from names
/// that were parsed, because a person may copy it into a shell: no other word of a sandbox's is in
/// it. It says nothing that the denied request did not say itself.
///
/// @param change what to write in `policy.yaml` first
/// @param command what to run
public record Remedy(Optional<String> change, String command) {
    /// Where the record says which rule covers a repository, this says that none does.
    public static final String STANDARD_RULES = "the standard rules";

    private static final String APPLY = "sallyport policy apply --running";

    /// Keys of a repository's rule under `git:`.
    private static final Map<Refusal, String> GIT_KEYS =
            new EnumMap<>(
                    Map.ofEntries(
                            Map.entry(Refusal.OPERATION_NOT_ALLOWED, "api:"),
                            Map.entry(Refusal.REF_NOT_ALLOWED, "push: branches"),
                            Map.entry(Refusal.DELETE_NOT_ALLOWED, "push: delete"),
                            Map.entry(Refusal.TAG_NOT_ALLOWED, "push: tags"),
                            Map.entry(Refusal.FORCE_NOT_ALLOWED, "push: force"),
                            Map.entry(
                                    Refusal.PATH_NOT_ALLOWED,
                                    "push: paths-denied or paths-allowed"),
                            Map.entry(Refusal.FILE_TOO_LARGE, "push: file-bytes-max"),
                            Map.entry(Refusal.TOO_MANY_COMMITS, "push: commits-max"),
                            Map.entry(Refusal.SECRET_FOUND, "push: secrets"),
                            Map.entry(Refusal.AUTHOR_NOT_ALLOWED, "push: author"),
                            Map.entry(Refusal.LFS_NOT_ALLOWED, "lfs: access"),
                            Map.entry(Refusal.LFS_OBJECT_TOO_LARGE, "lfs: object-bytes-max"),
                            Map.entry(Refusal.LFS_UPLOADS_SPENT, "lfs: upload-bytes-max"),
                            Map.entry(Refusal.LFS_STORAGE_NOT_ALLOWED, "lfs: storage")));

    /// Keys of a host's rule under `egress:`.
    private static final Map<Refusal, String> HOST_KEYS =
            new EnumMap<>(
                    Map.of(
                            Refusal.METHOD_NOT_ALLOWED, "methods",
                            Refusal.URL_NOT_ALLOWED, "paths",
                            Refusal.CONTENT_NOT_ALLOWED, "content-types-denied or json-denied",
                            Refusal.BODY_TOO_LARGE, "request-bytes-max",
                            Refusal.UPGRADE_NOT_ALLOWED, "websocket"));

    /// What would allow what was refused for this reason, if anything would.
    ///
    /// @param facts as in the record: `host` or `name`, `port`, `repo`, `rule`, `operation`; any
    ///   may be missing
    public static Optional<Remedy> of(Refusal reason, String sandbox, Map<String, String> facts) {
        if (reason == Refusal.NAME_NOT_ALLOWED) {
            return host(facts).map(host -> allow(sandbox, host.value()));
        }
        if (reason == Refusal.PORT_NOT_ALLOWED) {
            String port = facts.getOrDefault("port", "");
            return port.matches("[0-9]{1,5}")
                    ? host(facts).map(host -> allow(sandbox, host.value() + ":" + port))
                    : Optional.empty();
        }
        if (reason == Refusal.REPO_UNAVAILABLE) {
            String repo = repo(facts).orElse("HOST/OWNER/NAME");
            return Optional.of(new Remedy(Optional.empty(), "sallyport new --repo " + repo));
        }
        if (reason == Refusal.REPO_READ_ONLY) {
            return repo(facts).map(repo -> write(repo, facts.getOrDefault("rule", "")));
        }
        if (reason == Refusal.BUDGET_SPENT) {
            return Optional.of(
                    new Remedy(
                            Optional.of("raise the budgets under limits: egress: in policy.yaml"),
                            "sallyport down --keep-sandboxes && sallyport up"));
        }
        if (reason == Refusal.OPERATION_NOT_ALLOWED && !facts.containsKey("operation")) {
            return Optional.empty();
        }
        String gitKey = GIT_KEYS.get(reason);
        if (gitKey != null) {
            return repo(facts)
                    .map(repo -> "change " + gitKey + " of " + repo + " under git: in policy.yaml")
                    .map(change -> new Remedy(Optional.of(change), APPLY));
        }
        String hostKey = HOST_KEYS.get(reason);
        return hostKey == null
                ? Optional.empty()
                : host(facts).flatMap(host -> rule(hostKey, host, facts.getOrDefault("rule", "")));
    }

    /// A grant is for reading because its rule says so, or because the person asked for no more. A
    /// new sandbox can have more in both cases, but never more than the rule. Only the record knows
    /// whether there is one.
    private static Remedy write(String repo, String origin) {
        Optional<String> change =
                origin.equals(STANDARD_RULES)
                        ? Optional.empty()
                        : Optional.of(
                                "see that %s rule for %s under git: in policy.yaml has access: write"
                                        .formatted(origin.isEmpty() ? "any" : "the", repo));
        return new Remedy(change, "sallyport new --repo " + repo + ":write");
    }

    private static Remedy allow(String sandbox, String host) {
        return new Remedy(Optional.empty(), "sallyport allow " + sandbox + " " + host);
    }

    /// What was given on the command line stands before the file, and nothing there changes it.
    private static Optional<Remedy> rule(String key, HostName host, String origin) {
        if (origin.startsWith("--") || origin.equals("git")) {
            return Optional.empty();
        }
        String change =
                origin.contains("(preset ")
                        ? "put a rule for " + host + " before its preset in policy.yaml"
                        : "change " + key + " in the rule for " + host + " in policy.yaml";
        return Optional.of(new Remedy(Optional.of(change), APPLY));
    }

    private static Optional<HostName> host(Map<String, String> facts) {
        String text = facts.getOrDefault("host", facts.getOrDefault("name", ""));
        return Parsing.attempt(text, HostName::parse);
    }

    private static Optional<String> repo(Map<String, String> facts) {
        return Parsing.attempt(facts.getOrDefault("repo", ""), RepoName::parse).map(RepoName::key);
    }

    /// For the person.
    public String text() {
        return change.map(words -> words + ", then: " + command).orElse(command);
    }

    /// For whoever is in the sandbox, who cannot do it.
    public String forSandbox() {
        return "ask the person who runs this sandbox to "
                + change.map(words -> words + " and run: " + command).orElse("run: " + command);
    }
}
