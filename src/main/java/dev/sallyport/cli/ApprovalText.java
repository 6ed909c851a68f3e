package dev.sallyport.cli;

import dev.sallyport.approval.Question;
import dev.sallyport.control.ApprovalsApi;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A question as a person reads it before they answer. Every text in it may be a sandbox's.
final class ApprovalText {
    private static final int HASH_SHOWN = 12;
    private static final int ZEROS = 40;
    private static final String NOT_WHOLE = "The body or a field is NOT shown as a whole.";

    /// How much time is left for an answer.
    static String left(ApprovalsApi.ApprovalView view, Instant now) {
        Duration left = Duration.between(now, Instant.parse(view.expires()));
        long seconds = Math.max(0, left.toSeconds());
        return seconds >= 60 ? seconds / 60 + "m" + seconds % 60 + "s" : seconds + "s";
    }

    static List<String> lines(ApprovalsApi.Approval approval, Instant now) {
        ApprovalsApi.ApprovalView view = approval.view();
        Question question = approval.question();
        List<String> lines = new ArrayList<>();
        lines.add(view.summary());
        lines.add("");
        lines.add("sandbox   " + view.sandbox());
        lines.add("what      " + view.kind() + " to " + view.target());
        view.reasons().forEach(reason -> lines.add("because   " + reason));
        lines.add("answer    within " + left(view, now) + ", or it is no");
        lines.add("digest    " + view.digest());
        question.detail().push().ifPresent(push -> add(lines, question, push));
        question.detail().request().ifPresent(request -> add(lines, question, request));
        return lines;
    }

    private static void add(List<String> lines, Question question, Question.Push push) {
        lines.add("pack      " + question.bytes() + " bytes, SHA-256 " + question.content());
        lines.add("");
        push.commands().forEach(command -> lines.add(command(command)));
        push.options().forEach(option -> lines.add("option    " + option));
        lines.add("");
        push.commits().forEach(commit -> lines.add(commit(commit)));
        more(lines, push.commitsTotal() - push.commits().size(), "commits");
        lines.add("");
        push.files().forEach(file -> lines.add(file(file)));
        more(lines, push.filesTotal() - push.files().size(), "files");
        if (!push.complete()) {
            lines.add("! The diff is NOT COMPLETE: there is more in this push than is shown here.");
        }
        lines.add("");
        push.diff().lines().forEach(lines::add);
    }

    private static String command(Question.Command command) {
        String before = hash(command.before());
        String after = hash(command.after());
        return "ref       " + command.ref() + "  " + before + " -> " + after;
    }

    private static String hash(String id) {
        return id.equals("0".repeat(ZEROS))
                ? "nothing"
                : id.substring(0, Math.min(HASH_SHOWN, id.length()));
    }

    private static String commit(Question.Commit commit) {
        return "commit    " + hash(commit.id()) + "  " + commit.subject() + "  " + commit.author();
    }

    private static String file(Question.Change file) {
        return "file      +" + file.added() + " -" + file.removed() + "  " + file.path();
    }

    private static void more(List<String> lines, int missing, String what) {
        if (missing > 0) {
            lines.add("! and " + missing + " more " + what);
        }
    }

    private static void add(List<String> lines, Question question, Question.Request request) {
        lines.add("");
        lines.add(request.method() + " " + request.url());
        request.fields().forEach(lines::add);
        lines.add("");
        lines.add("body      " + question.bytes() + " bytes, SHA-256 " + question.content());
        if (!request.complete()) {
            lines.add("! " + NOT_WHOLE);
        }
        request.text().lines().forEach(lines::add);
    }

    /// In the colours of `git diff`.
    static String painted(String line, Ink ink) {
        String safe = Printable.of(line.replace("\t", "    "));
        return switch (paint(line)) {
            case ADDED -> ink.green(safe);
            case REMOVED -> ink.red(safe);
            case HEAD -> ink.bold(safe);
            case HUNK -> ink.faint(safe);
            case ALARM -> ink.yellow(safe);
            case PLAIN -> safe;
        };
    }

    /// What a line is, by how it begins.
    enum Paint {
        ADDED,
        REMOVED,
        HEAD,
        HUNK,
        ALARM,
        PLAIN
    }

    static Paint paint(String line) {
        if (line.startsWith("diff --git ") || line.startsWith("+++") || line.startsWith("---")) {
            return Paint.HEAD;
        }
        return switch (line.isEmpty() ? ' ' : line.charAt(0)) {
            case '+' -> Paint.ADDED;
            case '-' -> Paint.REMOVED;
            case '@' -> Paint.HUNK;
            case '!' -> Paint.ALARM;
            default -> line.startsWith("because ") ? Paint.ALARM : Paint.PLAIN;
        };
    }
}
