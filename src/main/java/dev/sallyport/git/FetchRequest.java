package dev.sallyport.git;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The body of a fetch in protocol v0, parsed strictly and written anew: what was checked is what
/// upstream gets.
///
/// ```
/// want lines, shallow, deepen, filter | flush | have lines, flushes | done
/// ```
record FetchRequest(Set<ObjectName> wants, ByteBuf rewritten) {
    private static final Pattern DEEPEN = Pattern.compile("deepen(-since)? [0-9]{1,18}");
    private static final Pattern FILTER = Pattern.compile("filter [a-z0-9:=,+%-]{1,200}");
    private static final String DEEPEN_NOT = "deepen-not ";

    /// Takes ownership of the body.
    static FetchRequest parse(ByteBuf body, RefVisibility visible) throws RefusedException {
        Parser parser = new Parser(visible);
        try {
            return parser.parse(body);
        } catch (RefusedException e) {
            parser.out.release();
            throw e;
        }
    }

    private static final class Parser {
        private final RefVisibility visible;
        private final Set<ObjectName> wants = new LinkedHashSet<>();
        private final ByteBuf out = Unpooled.buffer();
        private boolean wanted;
        private boolean done;

        Parser(RefVisibility visible) {
            this.visible = visible;
        }

        FetchRequest parse(ByteBuf body) throws RefusedException {
            PktReader reader = new PktReader(Refusal.BAD_REQUEST);
            reader.offer(body);
            try {
                for (PktLine next : packets(reader)) {
                    switch (next) {
                        case PktLine.Flush _ -> flush();
                        case PktLine.Data data ->
                                line(new String(data.line(), StandardCharsets.ISO_8859_1));
                    }
                }
                if (reader.heldBytes() > 0 || !wanted) {
                    throw malformed("the request is cut");
                }
            } finally {
                reader.release();
            }
            return new FetchRequest(wants, out);
        }

        private static List<PktLine> packets(PktReader reader) throws RefusedException {
            List<PktLine> packets = new ArrayList<>();
            PktLine next;
            while ((next = reader.poll()) != null) {
                packets.add(next);
            }
            return packets;
        }

        private void flush() throws RefusedException {
            if (done || (!wanted && wants.isEmpty())) {
                throw malformed("nothing is wanted");
            }
            wanted = true;
            PktLine.writeFlush(out);
        }

        private void line(String line) throws RefusedException {
            if (done) {
                throw malformed("something follows done");
            }
            if (wanted) {
                negotiation(line);
            } else if (line.startsWith("want ")) {
                want(line.substring("want ".length()));
            } else if (wants.isEmpty()) {
                throw malformed("a fetch begins with what it wants");
            } else {
                extent(line);
            }
        }

        private void want(String rest) throws RefusedException {
            int space = rest.indexOf(' ');
            if ((space >= 0) && !wants.isEmpty()) {
                throw malformed("the first line alone carries capabilities");
            }
            ObjectName id = id(space < 0 ? rest : rest.substring(0, space));
            String capabilities =
                    space < 0
                            ? ""
                            : " "
                                    + String.join(
                                            " ",
                                            FetchCapabilities.requested(rest.substring(space)));
            wants.add(id);
            PktLine.write(out, "want " + id + capabilities + "\n");
        }

        private void extent(String line) throws RefusedException {
            if (line.startsWith("shallow ")) {
                PktLine.write(out, "shallow " + id(line.substring("shallow ".length())) + "\n");
            } else if (line.startsWith(DEEPEN_NOT)) {
                requireVisible(line.substring(DEEPEN_NOT.length()));
                PktLine.write(out, line + "\n");
            } else if (DEEPEN.matcher(line).matches() || FILTER.matcher(line).matches()) {
                PktLine.write(out, line + "\n");
            } else {
                throw malformed("this line is not known");
            }
        }

        private void requireVisible(String ref) throws RefusedException {
            Optional<RefName> name;
            try {
                name = Optional.of(RefName.parse(ref));
            } catch (MalformedNameException _) {
                name = Optional.empty();
            }
            if (name.filter(visible::shows).isEmpty()) {
                throw malformed("deepen-not names a visible ref in full");
            }
        }

        private void negotiation(String line) throws RefusedException {
            if (line.equals("done")) {
                done = true;
                PktLine.write(out, "done\n");
            } else if (line.startsWith("have ")) {
                PktLine.write(out, "have " + id(line.substring("have ".length())) + "\n");
            } else {
                throw malformed("this line is not known");
            }
        }

        private static ObjectName id(String text) throws RefusedException {
            try {
                return ObjectName.parse(text);
            } catch (MalformedNameException _) {
                throw malformed("an object id is forty lower-case hex digits");
            }
        }

        private static RefusedException malformed(String rule) {
            return new RefusedException(Refusal.BAD_REQUEST, rule);
        }
    }
}
