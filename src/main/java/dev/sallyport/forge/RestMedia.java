package dev.sallyport.forge;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What form of an answer a client can ask for.
public enum RestMedia {
    JSON("application/vnd.github+json", AnswerTreatment.JSON),
    DIFF("application/vnd.github.diff", AnswerTreatment.RAW),
    PATCH("application/vnd.github.patch", AnswerTreatment.RAW),
    /// The bytes of a file.
    RAW("application/vnd.github.raw", AnswerTreatment.RAW),
    /// The name of a commit.
    SHA("application/vnd.github.sha", AnswerTreatment.RAW),
    /// An asset of a release.
    OCTETS("application/octet-stream", AnswerTreatment.DOWNLOAD),
    /// What is at the end of a redirect, whatever the client accepts.
    DOWNLOAD("application/vnd.github+json", AnswerTreatment.DOWNLOAD),
    /// A file, a log or a diff, whatever the client accepts.
    FILE("application/vnd.github.raw", AnswerTreatment.RAW),
    /// Nothing but the status.
    STATUS("application/vnd.github+json", AnswerTreatment.NO_BODY);

    private static final Set<RestMedia> ALONE = EnumSet.of(DOWNLOAD, FILE, STATUS);
    private static final Pattern NAMED =
            Pattern.compile(
                    "application/vnd\\.github(?:\\.v3)?\\.(diff|patch|raw|sha)(?:\\+json)?");

    private final String accept;
    private final AnswerTreatment treatment;

    RestMedia(String accept, AnswerTreatment treatment) {
        this.accept = accept;
        this.treatment = treatment;
    }

    /// Those that a line of the table names. `DOWNLOAD`, `FILE` and `STATUS` stand alone.
    static Set<RestMedia> in(Collection<String> words) {
        Set<RestMedia> media = EnumSet.noneOf(RestMedia.class);
        Arrays.stream(values()).filter(m -> words.contains(m.label())).forEach(media::add);
        if (Collections.disjoint(media, ALONE)) {
            media.add(JSON);
        }
        return media;
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The first of the client's wishes that is offered; else what is offered first.
    static RestMedia of(String accept, Set<RestMedia> offered) {
        for (String wish : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
            String type = wish.split(";", 2)[0].strip();
            List<RestMedia> meant = offered.stream().filter(m -> m.isMeantBy(type)).toList();
            if (!meant.isEmpty()) {
                return meant.getFirst();
            }
        }
        return offered.iterator().next();
    }

    private boolean isMeantBy(String type) {
        Matcher named = NAMED.matcher(type);
        if (named.matches()) {
            return named.group(1).equals(label());
        }
        boolean json = type.equals("application/json") || type.endsWith("+json");
        return json ? this == JSON : type.equals(accept);
    }

    /// What upstream is asked for.
    String accept() {
        return accept;
    }

    /// What an API without forms of its own is asked for.
    String plain() {
        return treatment == AnswerTreatment.RAW ? "*/*" : "application/json";
    }

    AnswerTreatment treatment() {
        return treatment;
    }
}
