package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sallyport.policy.RepoName;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The first reading of an answer: which of its objects lie in repositories that are not granted,
/// and what it says about those that are. How an object says where it lies is the matter of its
/// form; one that does not say lies where what is around it does.
final class AnswerSurvey {
    private final AnswerForm form;
    private final Deque<Frame> frames = new ArrayDeque<>();
    private final BitSet foreign = new BitSet();
    private final List<Consumer<Learner>> lessons = new ArrayList<>();
    private int objects;
    private Optional<RepoName> root = Optional.empty();

    /// An object or a list that is open.
    private static final class Frame {
        private final String name;
        private final int object;
        private final AnswerObject said = new AnswerObject();
        private String member = "";

        Frame(String name, int object) {
            this.name = name;
            this.object = object;
        }
    }

    AnswerSurvey(AnswerForm form) {
        this.form = form;
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
                    top().ifPresent(frame -> frame.said.text(frame.member, value));
                }
                case VALUE_NUMBER_INT -> {
                    if (json.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
                        long value = json.getLongValue();
                        top().ifPresent(frame -> frame.said.number(frame.member, value));
                    }
                }
                case VALUE_TRUE -> top().ifPresent(frame -> frame.said.set(frame.member));
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
        boolean away = form.isAway(frame.said);
        foreign.set(frame.object, away);
        if (frame.object == 0) {
            root = form.place(frame.said);
        }
        top().ifPresent(parent -> parent.said.part(frame.name, frame.said));
        if (!away) {
            form.learn(frame.said, lessons::add);
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
