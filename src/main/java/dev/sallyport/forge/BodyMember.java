package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.RefName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a member of a body stands for. Each kind says what it accepts and writes what was judged.
enum BodyMember {
    TITLE,
    TEXT,
    /// The branch that a new pull request comes from.
    HEAD,
    BASE,
    STATE,
    STATE_EVENT,
    FLAG,
    /// A flag that is understood and never set.
    NEVER,
    REVIEWERS,
    /// Accepted when there is nothing in it, because clients send it so.
    NOTHING,
    /// The project that a merge request is opened in: this one ([RestCase]).
    PROJECT,
    NUMBER,
    COMMIT,
    FILE,
    /// `LEFT`, `RIGHT`, `line` or `file`.
    WORD,
    COMMENT_ONLY,
    COMMENTS;

    private static final int REVIEWERS_MAX = 15;
    private static final int COMMENTS_MAX = 30;
    private static final int FILE_CHARACTERS_MAX = 4_096;
    private static final Set<String> STATES = Set.of("open", "closed");
    private static final Set<String> STATE_EVENTS = Set.of("close", "reopen");
    private static final Set<String> WORDS = Set.of("LEFT", "RIGHT", "line", "file");

    /// @param to where the judged value and what is recorded of it is written
    void judge(ApiPermit permit, String name, JsonNode value, RestBody.Judged to)
            throws ObjectionException {
        ObjectNode json = to.json();
        switch (this) {
            case TITLE, TEXT -> json.put(name, judgedText(permit, name, value, to));
            case HEAD -> json.put(name, head(permit, text(name, value), to));
            case BASE -> json.put(name, base(text(name, value), to));
            case STATE -> json.put(name, oneOf(STATES, name, value, to));
            case STATE_EVENT -> json.put(name, oneOf(STATE_EVENTS, name, value, to));
            case FLAG -> json.put(name, flag(name, value));
            case NEVER -> {
                check(value.isBoolean(), name);
                json.put(name, false);
            }
            case REVIEWERS -> reviewers(permit, name, value, to);
            case NOTHING -> check(isNothing(value), name);
            case PROJECT, NUMBER -> json.put(name, number(name, value));
            case COMMIT -> json.put(name, commit(name, value));
            case FILE -> json.put(name, file(name, value));
            case WORD -> json.put(name, oneOf(WORDS, name, value));
            case COMMENT_ONLY -> json.put(name, oneOf(Set.of("COMMENT"), name, value));
            case COMMENTS -> comments(permit, name, value, to);
        }
    }

    private String judgedText(ApiPermit permit, String name, JsonNode value, RestBody.Judged to)
            throws ObjectionException {
        String text = text(name, value);
        Optional<Objection> objection =
                this == TITLE ? TextRules.title(permit, text) : TextRules.body(permit, text);
        refuse(objection);
        to.detail().putAll(TextRules.record(permit, name, text));
        return text;
    }

    private static void refuse(Optional<Objection> objection) throws ObjectionException {
        if (objection.isPresent()) {
            throw new ObjectionException(objection.get());
        }
    }

    /// Written without its owner: upstream then looks in this repository only.
    private static String head(ApiPermit permit, String text, RestBody.Judged to)
            throws ObjectionException {
        Optional<RefName> branch = WriteRules.opening(permit, text);
        if (branch.isEmpty()) {
            throw new ObjectionException(WriteRules.notToBeOpened(permit));
        }
        to.detail().put("head", branch.get().value());
        return branch.get().shortName();
    }

    private static String base(String text, RestBody.Judged to) throws ObjectionException {
        refuse(WriteRules.base(text));
        to.detail().put("base", text);
        return text;
    }

    private static String oneOf(Set<String> words, String name, JsonNode value, RestBody.Judged to)
            throws ObjectionException {
        String word = oneOf(words, name, value);
        to.detail().put(name, word);
        return word;
    }

    private static String oneOf(Set<String> words, String name, JsonNode value)
            throws ObjectionException {
        String text = text(name, value);
        if (!words.contains(text)) {
            throw ObjectionException.bad(
                    "the member '" + name + "' can only be " + String.join(" or ", words));
        }
        return text;
    }

    private static boolean isNothing(JsonNode value) {
        return value.isArray()
                ? value.isEmpty()
                : value.isTextual() ? value.textValue().isEmpty() : isZero(value);
    }

    /// As a client writes what it has no value for.
    private static boolean isZero(JsonNode value) {
        return value.isBoolean()
                ? !value.booleanValue()
                : value.isIntegralNumber() && value.longValue() == 0;
    }

    private static boolean flag(String name, JsonNode value) throws ObjectionException {
        check(value.isBoolean(), name);
        return value.booleanValue();
    }

    private static long number(String name, JsonNode value) throws ObjectionException {
        check(value.isIntegralNumber() && value.longValue() > 0, name);
        return value.longValue();
    }

    private static String commit(String name, JsonNode value) throws ObjectionException {
        String text = text(name, value);
        check(GitText.isObject(text), name);
        return text;
    }

    private static String file(String name, JsonNode value) throws ObjectionException {
        String text = text(name, value);
        boolean plain =
                text.codePoints()
                        .noneMatch(
                                c ->
                                        Character.isISOControl(c)
                                                || Character.getType(c) == Character.SURROGATE);
        check(plain && !text.isEmpty() && text.length() <= FILE_CHARACTERS_MAX, name);
        return text;
    }

    private static void reviewers(ApiPermit permit, String name, JsonNode value, RestBody.Judged to)
            throws ObjectionException {
        check(value.isArray() && !value.isEmpty() && value.size() <= REVIEWERS_MAX, name);
        List<String> logins = new ArrayList<>();
        for (JsonNode login : value) {
            logins.add(text(name, login));
        }
        refuse(WriteRules.reviewers(permit, logins));
        ArrayNode list = to.json().putArray(name);
        logins.forEach(list::add);
        to.detail().put(name, String.join(" ", logins));
    }

    private static void comments(ApiPermit permit, String name, JsonNode value, RestBody.Judged to)
            throws ObjectionException {
        check(value.isArray() && value.size() <= COMMENTS_MAX, name);
        ArrayNode list = to.json().putArray(name);
        StringBuilder digests = new StringBuilder();
        for (JsonNode comment : value) {
            if (!(comment instanceof ObjectNode sent)) {
                throw ObjectionException.bad(
                        "the member '" + name + "' has something else than objects");
            }
            RestBody.Judged judged = RestBody.REVIEW_PART.judge(permit, sent);
            list.add(judged.json());
            digests.append(judged.json().path("body").textValue()).append('\n');
        }
        to.detail().putAll(TextRules.record(permit, name, digests.toString()));
    }

    private static String text(String name, JsonNode value) throws ObjectionException {
        check(value.isTextual(), name);
        return value.textValue();
    }

    private static void check(boolean fits, String name) throws ObjectionException {
        if (!fits) {
            throw ObjectionException.bad(
                    "the value of '" + name + "' is not one that is allowed here");
        }
    }
}
