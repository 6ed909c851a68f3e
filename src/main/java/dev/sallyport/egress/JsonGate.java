package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonPath;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.JsonRules.JsonDenial;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads a JSON body and says, at its end, whether the rule lets it through, and what is to be cut
/// out of it (E16).
final class JsonGate implements JsonScanner.Listener {
    /// Bytes of a body that do not go upstream.
    record Cut(long from, long to) {}

    private static final Pattern TYPE =
            Pattern.compile("(?i)application/json(?:[ \\t]*;[ \\t]*charset=\"?utf-8\"?)?");

    /// A client asks for few things that are taken out.
    private static final int CUTS_MAX = 256;

    /// Of what is denied only if what is around it stays, so much is kept.
    private static final int DENIED_MAX = 16;

    /// Something denied, and where; it does not count if that place is cut out.
    private record Found(String rule, long at) {}

    /// An object or a list that is open.
    private static final class Frame {
        private final boolean object;

        /// The member whose value it is; empty in a list.
        private final String name;

        /// Paths that lead through it, and conditions on it itself.
        private final long alive;

        private final long conditions;
        private final boolean ignored;
        private String member = "";
        private long itemFrom;
        private boolean itemLeaves;
        private long comma;
        private boolean keepsAny;
        private boolean lostAny;

        /// The cut of its last item goes on to the comma behind it.
        private boolean cutIsOpen;

        private boolean leaves;

        Frame(boolean object, String name, long alive, long conditions, boolean ignored) {
            this.object = object;
            this.name = name;
            this.alive = alive;
            this.conditions = conditions;
            this.ignored = ignored;
        }
    }

    private final List<JsonDenial> denials = new ArrayList<>();

    /// Those that are denied, then those that are cut out, then those that are ignored.
    private final List<JsonPath> paths = new ArrayList<>();

    /// Sets of them, a bit for each.
    private final long deniedPaths;

    private final long removedPaths;
    private final long ignoredPaths;
    private final long anywherePaths;
    private final long conditionalPaths;
    private final JsonScanner scanner;
    private final Deque<Frame> frames = new ArrayDeque<>();
    private final List<Cut> cuts = new ArrayList<>();
    private final List<Found> denied = new ArrayList<>();

    private JsonGate(JsonRules rules, JsonRoom room) {
        for (JsonRules.Denied rule : rules.denied()) {
            switch (rule) {
                case JsonDenial anywhere -> denials.add(anywhere);
                case JsonPath place -> paths.add(place);
            }
        }
        this.deniedPaths = below(paths.size());
        paths.addAll(rules.removed());
        this.removedPaths = below(paths.size()) & ~deniedPaths;
        paths.addAll(rules.ignored());
        this.ignoredPaths = below(paths.size()) & ~deniedPaths & ~removedPaths;
        this.anywherePaths = those(paths, JsonPath::anywhere);
        this.conditionalPaths = those(paths, path -> path.condition().isPresent());
        this.scanner = new JsonScanner(this, room);
    }

    private static long below(int count) {
        return count == Long.SIZE ? -1 : (1L << count) - 1;
    }

    private static long those(List<JsonPath> paths, Predicate<JsonPath> wanted) {
        long those = 0;
        for (int number = 0; number < paths.size(); number++) {
            those |= wanted.test(paths.get(number)) ? 1L << number : 0;
        }
        return those;
    }

    /// For one body under a rule that is about what is in it.
    static JsonGate of(EgressPermit permit, JsonRoom room) {
        return new JsonGate(rules(permit), room);
    }

    /// Whether there is a body that must be read.
    static boolean isFor(EgressPermit permit, RequestHead head) {
        return !rules(permit).isEmpty() && hasBody(head);
    }

    private static JsonRules rules(EgressPermit permit) {
        return permit.inspection().map(Inspection::json).orElse(JsonRules.NONE);
    }

    /// What is against a body by its head: only JSON that nobody has to unpack can be judged.
    static Optional<Refusal> objection(EgressPermit permit, RequestHead head) {
        boolean legible =
                head.field("content-type").filter(t -> TYPE.matcher(t).matches()).isPresent()
                        && head.field("content-encoding").orElse("identity").equals("identity");
        return isFor(permit, head) && !legible
                ? Optional.of(Refusal.CONTENT_NOT_ALLOWED)
                : Optional.empty();
    }

    static boolean hasBody(RequestHead head) {
        return switch (head.framing()) {
            case BodyFraming.None _ -> false;
            case BodyFraming.Sized(long bytes) -> bytes > 0;
            case BodyFraming.Chunked _ -> true;
        };
    }

    /// The next piece, which stays the caller's.
    void read(ByteBuf piece) throws RefusedException {
        for (int i = piece.readerIndex(); i < piece.writerIndex(); i++) {
            scanner.read(piece.getByte(i));
        }
    }

    /// The body is over; returns what is to be cut out of it, in order.
    List<Cut> finish() throws RefusedException {
        scanner.end();
        scanner.release();
        if (!denied.isEmpty()) {
            throw refused(denied.getFirst().rule());
        }
        return List.copyOf(cuts);
    }

    void release() {
        scanner.release();
    }

    private static RefusedException refused(String rule) {
        return new RefusedException(Refusal.CONTENT_NOT_ALLOWED, rule);
    }

    @Override
    public void name(String name, long from) throws RefusedException {
        Frame object = frames.getFirst();
        object.member = name;
        object.itemFrom = from;
        if (!object.ignored) {
            for (JsonDenial denial : denials) {
                deny(denial.deniesMember(name), denial, from);
            }
        }
    }

    @Override
    public void open(boolean object, long from) throws RefusedException {
        Frame around = frames.peek();
        long here = reached(around);
        long ends = enter(around, here, from);
        boolean ignored = isIgnored(around, ends);
        String name = around != null && around.object ? around.member : "";
        frames.push(new Frame(object, name, here & ~ends, ends & conditionalPaths, ignored));
    }

    @Override
    public void text(String member, String text, long from, long after) throws RefusedException {
        Frame around = frames.peek();
        boolean cut = text.length() > JsonScanner.TEXT_CHARACTERS_KEPT;
        long ends = enter(around, reached(around), from);
        holds(around, ends & conditionalPaths, "", text, from);
        if (around != null && around.object) {
            holds(around, around.conditions, around.member, text, from);
        }
        if (!isIgnored(around, ends)) {
            for (JsonDenial denial : denials) {
                boolean hit = denial.denies(member, text) || (cut && denial.concerns(member));
                deny(hit, denial, from);
            }
        }
        leave(after);
    }

    private boolean isIgnored(@Nullable Frame around, long ends) {
        return (around != null && around.ignored) || (ends & ignoredPaths) != 0;
    }

    @Override
    public void word(long from, long after) throws RefusedException {
        Frame around = frames.peek();
        enter(around, reached(around), from);
        leave(after);
    }

    @Override
    public void comma(long at) {
        Frame around = frames.getFirst();
        around.comma = at;
        if (around.cutIsOpen) {
            around.cutIsOpen = false;
            cuts.add(new Cut(cuts.removeLast().from(), at + 1));
        }
    }

    /// An object that has nothing left is not an element that anybody wrote.
    @Override
    public void close(long after) throws RefusedException {
        Frame over = frames.pop();
        Frame around = frames.peek();
        if (around != null) {
            boolean emptied = over.object && !around.object && over.lostAny && !over.keepsAny;
            around.itemLeaves |= over.leaves || emptied;
        }
        leave(after);
    }

    /// The paths that lead to the value that begins now, or through it.
    private long reached(@Nullable Frame around) {
        if (around == null) {
            return below(paths.size()) & ~anywherePaths;
        }
        long here = around.ignored ? 0 : reachedAnywhere(around);
        for (long left = around.alive; left != 0; left &= left - 1) {
            int number = Long.numberOfTrailingZeros(left);
            String step = paths.get(number).steps().get(frames.size() - 1);
            if (leads(step, number, around)) {
                here |= 1L << number;
            }
        }
        return here;
    }

    private long reachedAnywhere(Frame around) {
        long here = 0;
        for (long left = anywherePaths; left != 0; left &= left - 1) {
            int number = Long.numberOfTrailingZeros(left);
            boolean elements = paths.get(number).steps().size() > 1;
            String name = elements ? around.name : around.member;
            if (elements != around.object && named(number, name)) {
                here |= 1L << number;
            }
        }
        return here;
    }

    private boolean named(int number, String name) {
        return paths.get(number).steps().getFirst().equalsIgnoreCase(name);
    }

    /// Case in names does not matter, because some servers bind members that way; but what is
    /// ignored must be what it says.
    private boolean leads(String step, int number, Frame around) {
        if (step.equals(JsonPath.ELEMENTS) || !around.object) {
            return step.equals(JsonPath.ELEMENTS) && !around.object;
        }
        boolean ignoring = (ignoredPaths & (1L << number)) != 0;
        return ignoring ? step.equals(around.member) : step.equalsIgnoreCase(around.member);
    }

    /// A value begins; returns the paths that end here.
    private long enter(@Nullable Frame around, long here, long from) throws RefusedException {
        long ends = 0;
        for (long left = here; left != 0; left &= left - 1) {
            int number = Long.numberOfTrailingZeros(left);
            JsonPath path = paths.get(number);
            if (path.anywhere() || path.steps().size() == frames.size()) {
                ends |= 1L << number;
            }
        }
        if (around != null && !around.object) {
            around.itemFrom = from;
        }
        act(around, ends & ~conditionalPaths, from);
        return ends;
    }

    /// A text in a place on which there are conditions. One that is too long to be seen whole is
    /// taken for what is looked for.
    private void holds(@Nullable Frame around, long conditions, String name, String text, long from)
            throws RefusedException {
        boolean cut = text.length() > JsonScanner.TEXT_CHARACTERS_KEPT;
        for (long left = conditions; left != 0; left &= left - 1) {
            int number = Long.numberOfTrailingZeros(left);
            JsonPath.Condition condition = paths.get(number).condition().orElseThrow();
            boolean hit =
                    condition.holds(name, text)
                            || (cut && condition.member().equalsIgnoreCase(name));
            if (hit && !name.isEmpty() && around != null) {
                around.leaves |= (removedPaths & (1L << number)) != 0;
                deny((deniedPaths & (1L << number)) != 0, paths.get(number), from);
            } else if (hit) {
                act(around, 1L << number, from);
            }
        }
    }

    private void act(@Nullable Frame around, long ends, long from) throws RefusedException {
        for (long left = ends & deniedPaths; left != 0; left &= left - 1) {
            deny(true, paths.get(Long.numberOfTrailingZeros(left)), from);
        }
        if (around != null && (ends & removedPaths) != 0) {
            around.itemLeaves = true;
        }
    }

    private void deny(boolean hit, JsonRules.Denied rule, long at) throws RefusedException {
        if (!hit) {
            return;
        }
        if (denied.size() == DENIED_MAX) {
            throw refused(rule.toString());
        }
        denied.add(new Found(rule.toString(), at));
    }

    /// A value is over, and with it an item of what is around it. With an item that is cut out goes
    /// the comma before it or, where nothing before it stays, the one behind it.
    private void leave(long after) throws RefusedException {
        Frame around = frames.peek();
        if (around == null) {
            return;
        }
        if (!around.itemLeaves) {
            around.keepsAny = true;
            return;
        }
        long from = around.itemFrom;
        around.itemLeaves = false;
        around.lostAny = true;
        cuts.removeIf(cut -> cut.from() >= from);
        denied.removeIf(found -> found.at() >= from);
        if (cuts.size() == CUTS_MAX) {
            throw new RefusedException(Refusal.CONTENT_NOT_ALLOWED, "too much to take out");
        }
        cuts.add(new Cut(around.keepsAny ? around.comma : from, after));
        around.cutIsOpen = !around.keepsAny;
    }
}
