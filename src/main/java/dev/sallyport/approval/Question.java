package dev.sallyport.approval;

import java.util.List;
import java.util.Optional;

/// One thing that a sandbox wants and that a rule lets happen only when a person says yes. It has
/// all that the person is shown, so that its [#digest] is what a yes is given to.
///
/// @param kind `push`, `web` or `api`
/// @param target the repository, or the host
/// @param summary one line
/// @param reasons why a person is asked
/// @param content SHA-256 of the pack or of the body, in hexadecimal; of nothing when there is none
/// @param bytes length of it
public record Question(
        String kind,
        String target,
        String summary,
        List<String> reasons,
        String content,
        long bytes,
        Detail detail) {
    public static final int LINE_CHARACTERS_MAX = 512;
    public static final int URL_CHARACTERS_MAX = 8_192;
    public static final int TEXT_CHARACTERS_MAX = 16 << 10;
    public static final int DIFF_CHARACTERS_MAX = 128 << 10;
    public static final int REASONS_MAX = 20;
    public static final int COMMANDS_MAX = 64;
    public static final int COMMITS_MAX = 100;
    public static final int FILES_MAX = 200;
    public static final int FIELDS_MAX = 64;

    private static final List<String> KINDS = List.of("push", "web", "api");

    public Question {
        require(KINDS.contains(kind), "a question is about a push, the web or an API");
        requireLines(List.of(target, summary, content));
        requireLines(bounded(reasons, REASONS_MAX));
        require(bytes >= 0, "a length is not negative");
        require(
                detail.push().isPresent() == kind.equals("push")
                        && detail.push().isPresent() != detail.request().isPresent(),
                "a question has the details of its kind");
        reasons = List.copyOf(reasons);
    }

    /// One of the two.
    public record Detail(Optional<Push> push, Optional<Request> request) {
        public static Detail of(Push push) {
            return new Detail(Optional.of(push), Optional.empty());
        }

        public static Detail of(Request request) {
            return new Detail(Optional.empty(), Optional.of(request));
        }
    }

    /// What a push would do.
    ///
    /// @param commands all of them
    /// @param options what the push says besides, such as the title of a merge request
    /// @param commits the newest of those that are new, or that nobody was asked about
    /// @param commitsTotal how many there are
    /// @param files the first of those that change, seen from what is there now
    /// @param filesTotal how many there are
    /// @param diff as `git diff` writes it
    /// @param complete whether the diff is whole
    public record Push(
            List<Command> commands,
            List<String> options,
            List<Commit> commits,
            int commitsTotal,
            List<Change> files,
            int filesTotal,
            String diff,
            boolean complete) {
        public Push {
            commands = List.copyOf(bounded(commands, COMMANDS_MAX));
            options = List.copyOf(bounded(options, FIELDS_MAX));
            requireLines(options);
            commits = List.copyOf(bounded(commits, COMMITS_MAX));
            files = List.copyOf(bounded(files, FILES_MAX));
            require(diff.length() <= DIFF_CHARACTERS_MAX, "a diff is bounded");
        }
    }

    /// What would become of one ref.
    ///
    /// @param before where it is now; zeros when it is not there
    /// @param after where it would be; zeros when it would be gone
    public record Command(String ref, String before, String after) {
        public Command {
            requireLines(List.of(ref, before, after));
        }
    }

    public record Commit(String id, String author, String subject) {
        public Commit {
            requireLines(List.of(id, author, subject));
        }
    }

    /// A file that changes; both numbers are 0 when it is not text.
    public record Change(String path, int added, int removed) {
        public Change {
            requireLines(List.of(path));
        }
    }

    /// What a request would do.
    ///
    /// @param operation name of the API's operation; empty for other hosts
    /// @param url values of the query that may be secrets are left out
    /// @param fields of the head, as `name: value`, without a credential
    /// @param address SHA-256 of the method, the URL and the fields as they would be sent, in
    ///   hexadecimal
    /// @param text the beginning of the body when it is text
    /// @param complete whether the text is all of the body, and no field is missing or cut
    public record Request(
            String operation,
            String method,
            String url,
            List<String> fields,
            String address,
            String text,
            boolean complete) {
        public Request {
            fields = List.copyOf(bounded(fields, FIELDS_MAX));
            requireLines(fields);
            requireLines(List.of(operation, method, address));
            require(url.length() <= URL_CHARACTERS_MAX, "a URL is bounded");
            require(text.length() <= TEXT_CHARACTERS_MAX, "a text is bounded");
        }
    }

    /// SHA-256, in hexadecimal, of the session and everything in here.
    public String digest(String session) {
        Fingerprint all = new Fingerprint().add(session, kind, target, summary);
        all.add(reasons).add(content).add(bytes);
        detail.push().ifPresent(push -> add(all, push));
        detail.request()
                .ifPresent(
                        asked ->
                                all.add(asked.operation(), asked.method(), asked.url())
                                        .add(asked.fields())
                                        .add(asked.address(), asked.text())
                                        .add(Boolean.toString(asked.complete())));
        return all.hex();
    }

    private static void add(Fingerprint all, Push push) {
        all.add(push.commands().size());
        push.commands().forEach(one -> all.add(one.ref(), one.before(), one.after()));
        all.add(push.options()).add(push.commits().size());
        push.commits().forEach(one -> all.add(one.id(), one.author(), one.subject()));
        all.add(push.files().size());
        push.files().forEach(one -> all.add(one.path()).add(one.added()).add(one.removed()));
        all.add(push.commitsTotal()).add(push.filesTotal());
        all.add(push.diff(), Boolean.toString(push.complete()));
    }

    private static void requireLines(List<String> lines) {
        for (String line : lines) {
            require(line.length() <= LINE_CHARACTERS_MAX, "a line of a question is bounded");
        }
    }

    private static <T> List<T> bounded(List<T> items, int max) {
        require(items.size() <= max, "a question has at most " + max + " of each");
        return items;
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
