package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.sallyport.policy.QueryName;
import dev.sallyport.policy.RepoName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Takes out of an answer of the API what the sandbox must not have: credentials and signed
/// addresses, and what lies in repositories that are not granted. Of such objects the members stay,
/// with empty values, because clients fail when `head.repo` or `download_url` is missing; in lists
/// they are left out. Two readings, since an object says in its middle where it lies.
///
/// Addresses of commits' authors stay: git shows them as well.
public final class AnswerScrubber {
    /// Of an answer as a whole.
    public static final int BYTES_MAX = 16 * 1_024 * 1_024;

    private static final int DEPTH_MAX = 40;

    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(DEPTH_MAX)
                                    .maxNumberLength(64)
                                    .maxStringLength(BYTES_MAX)
                                    .maxNameLength(4_096)
                                    .build())
                    .build();

    /// What became of an answer.
    public sealed interface Scrubbed {
        @SuppressWarnings("ArrayRecordComponent") // Nobody compares answers.
        record Clean(byte[] json) implements Scrubbed {}

        /// About another repository than the one that was asked: it was renamed or moved, and what
        /// has the name now was not granted by anybody (52).
        record Foreign() implements Scrubbed {}

        /// No JSON, or too much of it.
        record Unfit() implements Scrubbed {}
    }

    /// Members that say what the credential's owner may, or what is a group's and not a
    /// repository's.
    private static final Set<String> EMPTIED =
            Set.of(
                    "security_and_analysis",
                    "project_access",
                    "group_access",
                    "shared_with_groups",
                    "repo_transfer",
                    "runner",
                    "runner_manager",
                    "epic",
                    "iteration");

    /// Texts that can have a credential in them, or an address that is not public.
    private static final Set<String> WITHHELD =
            Set.of("token", "import_url", "import_error", "original_url", "service_desk_address");

    private final RepoName asked;
    private final AnswerForm form;
    private final Learner learner;

    AnswerScrubber(AnswerForm form, Learner learner) {
        this.asked = form.ground().asked();
        this.form = form;
        this.learner = learner;
    }

    public Scrubbed scrub(byte[] json) {
        if (json.length > BYTES_MAX) {
            return new Scrubbed.Unfit();
        }
        AnswerSurvey survey = new AnswerSurvey(form);
        try (JsonParser first = JSON.createParser(json);
                JsonParser second = JSON.createParser(json)) {
            survey.read(first);
            if (survey.isForeign(0) || survey.root().filter(r -> !r.equals(asked)).isPresent()) {
                return new Scrubbed.Foreign();
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(json.length);
            try (JsonGenerator out = JSON.createGenerator(bytes)) {
                new Copying(second, out, survey).run();
            }
            survey.teach(learner);
            return new Scrubbed.Clean(bytes.toByteArray());
        } catch (IOException _) {
            return new Scrubbed.Unfit();
        }
    }

    /// The second reading.
    private final class Copying {
        private final JsonParser in;
        private final JsonGenerator out;
        private final AnswerSurvey survey;
        private int objects;

        Copying(JsonParser in, JsonGenerator out, AnswerSurvey survey) {
            this.in = in;
            this.out = out;
            this.survey = survey;
        }

        void run() throws IOException {
            if (in.nextToken() == null) {
                throw new IOException("no value");
            }
            value("", "", false);
            if (in.nextToken() != null) {
                throw new IOException("more than one value");
            }
        }

        /// @param around the member whose value is the object that this is a member of
        /// @param name the member whose value this is
        private void value(String around, String name, boolean emptied) throws IOException {
            switch (in.currentToken()) {
                case START_OBJECT -> object(name, emptied || survey.isForeign(objects));
                case START_ARRAY -> list(name, emptied || EMPTIED.contains(name));
                default -> leaf(around, name, emptied);
            }
        }

        private void object(String name, boolean emptied) throws IOException {
            objects++;
            boolean empties = emptied || EMPTIED.contains(name);
            out.writeStartObject();
            while (in.nextToken() != JsonToken.END_OBJECT) {
                String member = in.currentName();
                in.nextToken();
                out.writeFieldName(member);
                value(name, member, empties);
            }
            out.writeEndObject();
        }

        private void list(String name, boolean emptied) throws IOException {
            out.writeStartArray();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                boolean object = in.currentToken() == JsonToken.START_OBJECT;
                if (emptied || (object && survey.isForeign(objects))) {
                    skip();
                } else {
                    value("", name, false);
                }
            }
            out.writeEndArray();
        }

        /// One value, and whatever is in it.
        private void skip() throws IOException {
            int depth = 0;
            do {
                JsonToken token = in.currentToken();
                objects += token == JsonToken.START_OBJECT ? 1 : 0;
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            } while (depth > 0 && in.nextToken() != null);
        }

        /// What a repository object says about permissions is what the credential may do, which is
        /// not what the sandbox may.
        private void leaf(String around, String name, boolean emptied) throws IOException {
            switch (in.currentToken()) {
                case VALUE_STRING ->
                        out.writeString(emptied ? "" : text(around, name, in.getText()));
                case VALUE_TRUE ->
                        out.writeBoolean(
                                !emptied && (!around.equals("permissions") || name.equals("pull")));
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                    if (emptied) {
                        out.writeNumber(0);
                    } else {
                        out.copyCurrentEvent(in);
                    }
                }
                default -> out.copyCurrentEvent(in);
            }
        }

        private String text(String around, String name, String value) {
            if (WITHHELD.contains(name) || name.endsWith("_token")) {
                return "";
            }
            boolean address =
                    name.endsWith("url") || name.equals("href") || around.equals("_links");
            return address ? address(value) : value;
        }

        /// Nothing for one that leads into another repository; without the query if that is what
        /// makes it a credential.
        private String address(String url) {
            int query = url.indexOf('?');
            boolean signed =
                    query >= 0
                            && Arrays.stream(url.substring(query + 1).split("[&;]"))
                                    .map(parameter -> parameter.split("=", 2)[0])
                                    .anyMatch(QueryName::isRefused);
            return form.leadsAway(url) ? "" : signed ? url.substring(0, query) : url;
        }
    }

    /// The first reading of an answer: which of its objects lie in repositories that are not
    /// granted, and what it says about those that are. How an object says where it lies is the
    /// matter of its form; one that does not say lies where what is around it does.
    static final class AnswerSurvey {
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
}
