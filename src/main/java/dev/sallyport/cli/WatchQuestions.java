package dev.sallyport.cli;

import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The questions that wait while `watch` runs, and the one that is looked at. An answer is to what
/// was drawn, by its digest, so only one that is looked at can be answered.
final class WatchQuestions {
    private final Feed feed;
    private final boolean notifies;
    private Set<String> known = Set.of();
    private List<ApprovalsApi.ApprovalView> open = List.of();
    private Optional<ApprovalsApi.Approval> shown = Optional.empty();
    private int first;

    /// @param notifies whether the desktop is told of a new one
    WatchQuestions(Feed feed, boolean notifies) {
        this.feed = feed;
        this.notifies = notifies;
    }

    void look() throws IOException, ControlException {
        open = feed.approvals();
        Set<String> ids = new HashSet<>();
        open.forEach(view -> ids.add(view.id()));
        boolean fresh = !known.containsAll(ids);
        known = ids;
        if (fresh && notifies) {
            notifyDesktop();
        }
    }

    /// Where there is a desktop. Nothing of a sandbox's is in it: notifications may hold markup.
    private static void notifyDesktop() {
        try {
            new ProcessBuilder("notify-send", "Sallyport", "A sandbox waits for your answer.")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException _) {
            // There is none.
        }
    }

    List<ApprovalsApi.ApprovalView> open() {
        return open;
    }

    /// Shows the oldest, or the one after the one that is shown; whether there is one.
    boolean show() throws IOException {
        int at =
                shown.map(known -> known.view().id())
                        .map(
                                id ->
                                        open.stream()
                                                .map(ApprovalsApi.ApprovalView::id)
                                                .toList()
                                                .indexOf(id))
                        .orElse(-1);
        first = 0;
        shown = Optional.empty();
        if (open.isEmpty()) {
            return false;
        }
        try {
            shown = Optional.of(feed.approval(open.get((at + 1) % open.size()).id()));
        } catch (ControlException _) {
            return false;
        }
        return true;
    }

    void leave() {
        shown = Optional.empty();
    }

    void scroll(int rows) {
        first += rows;
    }

    /// The row that was scrolled to, of so many that there are on a screen of this width.
    int first(int rowsTotal) {
        first = Math.clamp(first, 0, Math.max(0, rowsTotal - 1));
        return first;
    }

    List<String> lines(Instant now) {
        return shown.map(known -> ApprovalText.lines(known, now)).orElse(List.of());
    }

    /// What became of it, in words.
    String answer(boolean yes) throws IOException {
        ApprovalsApi.ApprovalView view = shown.orElseThrow().view();
        shown = Optional.empty();
        try {
            feed.answer(view, yes ? "yes" : "no");
            look();
            return (yes ? "approved: " : "denied: ") + view.summary();
        } catch (ControlException e) {
            return "not answered: " + e.getMessage();
        }
    }
}
