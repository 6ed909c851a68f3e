package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RepoName;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The first reading of an answer: which of its objects lie in repositories that are not granted,
/// and what it says about those that are. An object lies where it says: by its `full_name`, its
/// `url` or its `repository_url`. One that does not say lies where what is around it does.
final class AnswerSurvey {
    private final HostName host;
    private final Predicate<RepoName> granted;
    private final Deque<Frame> frames = new ArrayDeque<>();
    private final BitSet foreign = new BitSet();
    private final List<Consumer<Learner>> lessons = new ArrayList<>();
    private int objects;
    private Optional<RepoName> root = Optional.empty();

    /// An object or a list that is open.
    private static final class Frame {
        private final String name;
        private final int object;
        private String member = "";
        private @Nullable String fullName;
        private @Nullable String url;
        private @Nullable String repositoryUrl;
        private @Nullable String nodeId;
        private @Nullable String ref;
        private long id;
        private long number;
        private Optional<RepoName> repo = Optional.empty();
        private @Nullable Frame head;
        private boolean isPull;

        Frame(String name, int object) {
            this.name = name;
            this.object = object;
        }

        void text(String value) {
            switch (member) {
                case "full_name" -> fullName = value;
                case "url" -> url = value;
                case "repository_url" -> repositoryUrl = value;
                case "node_id" -> nodeId = value;
                case "ref" -> ref = value;
                default -> {}
            }
        }

        void number(long value) {
            switch (member) {
                case "id" -> id = value;
                case "number" -> number = value;
                default -> {}
            }
        }
    }

    AnswerSurvey(HostName host, Predicate<RepoName> granted) {
        this.host = host;
        this.granted = granted;
    }

    /// Reads to the end.
    void read(JsonParser json) throws IOException {
        JsonToken token;
        while ((token = json.nextToken()) != null) {
            switch (token) {
                case START_OBJECT -> open(objects++);
                case START_ARRAY -> open(-1);
                case FIELD_NAME -> frames.element().member = json.currentName();
                case VALUE_STRING -> {
                    String value = json.getText();
                    top().ifPresent(frame -> frame.text(value));
                }
                case VALUE_NUMBER_INT -> {
                    if (json.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
                        long value = json.getLongValue();
                        top().ifPresent(frame -> frame.number(value));
                    }
                }
                case END_OBJECT, END_ARRAY -> close(frames.pop());
                default -> {}
            }
        }
    }

    private Optional<Frame> top() {
        return Optional.ofNullable(frames.peek());
    }

    private void open(int object) {
        frames.push(new Frame(top().map(frame -> frame.member).orElse(""), object));
    }

    private void close(Frame frame) {
        if (frame.object < 0) {
            return;
        }
        Optional<RepoUrl> url = url(frame.url);
        boolean away =
                url.filter(found -> !isGranted(found.repo())).isPresent()
                        || url(frame.repositoryUrl).filter(f -> !isGranted(f.repo())).isPresent()
                        || (frame.fullName != null && !isGranted(named(frame)));
        foreign.set(frame.object, away);
        Optional<RepoName> place = named(frame).or(() -> url.flatMap(RepoUrl::repo));
        if (frame.object == 0) {
            root = place;
        }
        top().ifPresent(parent -> tell(parent, frame, place));
        if (!away) {
            url.filter(RepoUrl::exact).ifPresent(found -> learn(frame, found));
        }
    }

    private Optional<RepoUrl> url(@Nullable String text) {
        return text == null ? Optional.empty() : RepoUrl.parse(host, text);
    }

    private Optional<RepoName> named(Frame frame) {
        return frame.fullName == null ? Optional.empty() : RepoUrl.named(host, frame.fullName);
    }

    private boolean isGranted(Optional<RepoName> repo) {
        return repo.filter(granted).isPresent();
    }

    private static void tell(Frame parent, Frame child, Optional<RepoName> place) {
        switch (child.name) {
            case "repo" -> parent.repo = place;
            case "head" -> parent.head = child;
            case "pull_request" -> parent.isPull = true;
            default -> {}
        }
    }

    private void learn(Frame frame, RepoUrl url) {
        RepoName repo = url.repo().orElseThrow();
        String below = url.below();
        if (below.isEmpty() && frame.fullName != null && frame.id > 0) {
            lessons.add(learner -> learner.repository(repo, frame.id));
            node(frame, "Repository", repo);
        } else if (below.equals("pulls/" + frame.number) && frame.head != null) {
            Optional<PullHead> head = head(frame.head);
            lessons.add(learner -> learner.pull(repo, frame.number, head));
            node(frame, "PullRequest", repo);
        } else if (below.equals("issues/" + frame.number) && !frame.isPull) {
            node(frame, "Issue", repo);
        } else if (below.equals("issues/comments/" + frame.id)) {
            node(frame, "IssueComment", repo);
        }
    }

    private static Optional<PullHead> head(Frame frame) {
        String branch = frame.ref == null ? "" : frame.ref;
        Optional<RefName> ref = GitText.branch(branch);
        return frame.repo.flatMap(repo -> ref.map(name -> new PullHead(repo, name)));
    }

    private void node(Frame frame, String type, RepoName repo) {
        String id = frame.nodeId;
        if (id != null && !id.isEmpty()) {
            lessons.add(learner -> learner.node(id, type, repo));
        }
    }

    /// Whether the object, counted from 0 in the order in which they begin, is not granted.
    boolean isForeign(int object) {
        return foreign.get(object);
    }

    /// Where the answer as a whole lies, if it says so.
    Optional<RepoName> root() {
        return root;
    }

    void teach(Learner learner) {
        lessons.forEach(lesson -> lesson.accept(learner));
    }
}
