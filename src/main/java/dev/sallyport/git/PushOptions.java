package dev.sallyport.git;

import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The options of a push. To GitLab they are an API: a push can open a merge request, have it
/// merged by itself, and set variables of pipelines (G25). So each is known here or refused by its
/// name, and what goes upstream is written anew.
///
/// Gitea and Forgejo have options for repositories, and for reviews by `refs/for/…`; none of these
/// can be allowed. Other hosts are not offered any, and git says so.
final class PushOptions {
    /// Of one push.
    static final int OPTIONS_MAX = 32;

    /// Of one option: it is searched for credentials where nobody may be kept waiting.
    static final int OPTION_CHARACTERS_MAX = 8_192;

    private static final String MERGE_REQUEST = "merge_request.";
    private static final String SHORT = "mr.";
    private static final String TITLE = MERGE_REQUEST + "title";
    private static final String DESCRIPTION = MERGE_REQUEST + "description";

    /// Begins what GitLab replaces by parts of commits, or by nothing.
    private static final String PLACEHOLDER = "%{";

    private static final String TARGET_PROJECT = MERGE_REQUEST + "target_project";
    private static final int NAME_CHARACTERS_SHOWN = 60;

    private static final String MERGES = "nothing that a sandbox proposes is merged by itself";
    private static final String PEOPLE =
            "labels, milestones and people are not for a sandbox to set";
    private static final String MERGER = "how it is merged is for whoever merges it to say";
    private static final String PIPELINES = "a push does not change what pipelines do";
    private static final String CHECKS = "a push does not turn checks off";
    private static final String REVIEWS =
            "it is for refs/for/…, which cannot be pushed; push a branch and open a pull request";

    /// Those that are known and never allowed, with the reason.
    private static final Map<String, String> NEVER =
            Map.ofEntries(
                    Map.entry(MERGE_REQUEST + "auto_merge", MERGES),
                    Map.entry(MERGE_REQUEST + "merge_when_pipeline_succeeds", MERGES),
                    Map.entry(MERGE_REQUEST + "label", PEOPLE),
                    Map.entry(MERGE_REQUEST + "unlabel", PEOPLE),
                    Map.entry(MERGE_REQUEST + "assign", PEOPLE),
                    Map.entry(MERGE_REQUEST + "unassign", PEOPLE),
                    Map.entry(MERGE_REQUEST + "milestone", PEOPLE),
                    Map.entry(MERGE_REQUEST + "remove_source_branch", MERGER),
                    Map.entry(MERGE_REQUEST + "squash", MERGER),
                    Map.entry("ci.skip", CHECKS),
                    Map.entry("ci.no_pipeline", CHECKS),
                    Map.entry("ci.variable", PIPELINES),
                    Map.entry("ci.input", PIPELINES),
                    Map.entry("integrations.skip_ci", CHECKS),
                    Map.entry("secret_detection.skip_all", CHECKS),
                    Map.entry("secret_push_protection.skip_all", CHECKS),
                    Map.entry("repo.private", "settings of a repository are not for a sandbox"),
                    Map.entry("repo.template", "settings of a repository are not for a sandbox"),
                    Map.entry("topic", REVIEWS),
                    Map.entry("title", REVIEWS),
                    Map.entry("description", REVIEWS),
                    Map.entry("force-push", REVIEWS));

    /// What a push is not carried out for, in printable text of one line.
    static final class ObjectionException extends Exception {
        private static final long serialVersionUID = 1L;

        ObjectionException(String told) {
            super(told, null, false, false);
        }

        String told() {
            return String.valueOf(getMessage());
        }
    }

    private final GitPermit permit;
    private final Proposals rules;

    PushOptions(GitPermit permit, Proposals rules) {
        this.permit = permit;
        this.rules = rules;
    }

    /// Whether this host is told that options can be sent, so that each can be refused by name.
    static boolean areOffered(GitPermit permit) {
        return permit.forge().filter(forge -> forge != Forge.GITHUB).isPresent();
    }

    /// As they go upstream.
    List<String> judge(List<String> sent, List<RefUpdate> updates) throws ObjectionException {
        Map<String, String> judged = new LinkedHashMap<>();
        for (String option : sent) {
            int equals = option.indexOf('=');
            String name = canonical(equals < 0 ? option : option.substring(0, equals));
            String value = equals < 0 ? "" : option.substring(equals + 1);
            if (judged.put(name, judge(name, equals >= 0, value)) != null) {
                throw not(name, "it stands there twice");
            }
        }
        if (!judged.isEmpty()) {
            requireOneBranch(updates);
            requireTexts(judged);
            // Without it, a push to a fork opens a merge request in the project it came from.
            judged.put(TARGET_PROJECT, permit.repo().path());
        }
        return judged.entrySet().stream()
                .map(o -> o.getValue().isEmpty() ? o.getKey() : o.getKey() + "=" + o.getValue())
                .toList();
    }

    private static String canonical(String name) {
        return name.startsWith(SHORT) ? MERGE_REQUEST + name.substring(SHORT.length()) : name;
    }

    private String judge(String name, boolean hasValue, String value) throws ObjectionException {
        String why = NEVER.get(name);
        if (why != null) {
            throw not(name, why);
        }
        if (!permit.forge().equals(Optional.of(Forge.GITLAB))) {
            throw not(name, "this host has no option that a sandbox can use");
        }
        return switch (name) {
            case MERGE_REQUEST + "create", MERGE_REQUEST + "draft" -> {
                requirePermit(name);
                if (hasValue) {
                    throw not(name, "it has no value");
                }
                yield "";
            }
            case MERGE_REQUEST + "target" -> branch(name, value);
            case TARGET_PROJECT -> project(name, value);
            case TITLE -> text(name, value, rules.title(requirePermit(name), value));
            case DESCRIPTION ->
                    text(name, value, rules.body(requirePermit(name), asDisplayed(value)));
            default -> throw not(name, "it is not known here");
        };
    }

    /// GitLab takes a text that is missing from a commit, and obeys what stands there.
    private static void requireTexts(Map<String, String> judged) throws ObjectionException {
        boolean whole = judged.containsKey(TITLE) && judged.containsKey(DESCRIPTION);
        if (judged.containsKey(MERGE_REQUEST + "create") && !whole) {
            throw not(
                    MERGE_REQUEST + "create",
                    "it needs merge_request.title and merge_request.description as well");
        }
    }

    private ApiPermit requirePermit(String name) throws ObjectionException {
        Optional<ApiPermit> open = permit.api(ApiOperation.PULL_OPEN);
        if (open.isEmpty() || permit.api(ApiOperation.PULL_EDIT).isEmpty()) {
            throw not(name, "merge requests need api: pulls: write");
        }
        return open.get();
    }

    private String branch(String name, String value) throws ObjectionException {
        requirePermit(name);
        try {
            return RefName.parse("refs/heads/" + value).shortName();
        } catch (MalformedNameException _) {
            throw not(name, "its value is not the name of a branch");
        }
    }

    private String project(String name, String value) throws ObjectionException {
        requirePermit(name);
        if (!value.equalsIgnoreCase(permit.repo().path())) {
            throw not(name, "a merge request stays within " + permit.repo());
        }
        return value;
    }

    private static String text(String name, String value, Optional<String> objection)
            throws ObjectionException {
        if (value.isEmpty()) {
            throw not(name, "it has no value");
        }
        if (value.contains(PLACEHOLDER)) {
            throw not(name, "GitLab puts other text in the place of %{…}");
        }
        if (objection.isPresent()) {
            throw not(name, objection.get());
        }
        return value;
    }

    /// An option is one line, so GitLab takes these two characters for the end of one.
    private static String asDisplayed(String value) {
        return value.replace("\\n", "\n");
    }

    /// A merge request is opened for each, and each is somebody's to read.
    private static void requireOneBranch(List<RefUpdate> updates) throws ObjectionException {
        boolean one =
                updates.size() == 1
                        && updates.getFirst().ref().isBranch()
                        && !updates.getFirst().isDelete();
        if (!one) {
            throw new ObjectionException("a push that opens a merge request changes one branch");
        }
    }

    private static ObjectionException not(String name, String why) {
        String shown = name.replaceAll("[^A-Za-z0-9_.-]", "?");
        return new ObjectionException(
                "option "
                        + shown.substring(0, Math.min(shown.length(), NAME_CHARACTERS_SHOWN))
                        + ": "
                        + why);
    }

    /// Of judged options, for the record: their names, and of texts what is recorded of those that
    /// come through the API.
    Map<String, String> facts(List<String> options) {
        Map<String, String> facts = new TreeMap<>();
        for (String option : options) {
            String[] parts = option.split("=", 2);
            facts.merge("options", parts[0], (one, other) -> one + " " + other);
            if (parts[0].equals(TITLE) || parts[0].equals(DESCRIPTION)) {
                String name = parts[0].substring(MERGE_REQUEST.length());
                permit.api(ApiOperation.PULL_OPEN)
                        .ifPresent(
                                open ->
                                        facts.putAll(
                                                rules.record(open, name, asDisplayed(parts[1]))));
            }
        }
        return facts;
    }
}
