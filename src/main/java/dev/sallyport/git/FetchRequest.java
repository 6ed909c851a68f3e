package dev.sallyport.git;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The body of a fetch in protocol v0, parsed strictly and written anew: what was checked is what
/// upstream gets.
///
/// ```
/// want lines, shallow, deepen, filter | flush | have lines, flushes | done
/// ```
///
/// @param wants ids that the session must be able to see
/// @param claims ids that it says it has; upstream is told only of those that it can see, because
///   upstream says of the others whether they exist, and sends the parents of `shallow` ones
/// @param copyable whether the local copy can answer it, if it has the objects
/// @param whole whether neither history nor files are left out
/// @param opening how every answer to it begins
/// @param quiet whether the client asked for no progress
record FetchRequest(
        Set<ObjectName> wants,
        Set<ObjectName> claims,
        boolean copyable,
        boolean whole,
        FetchOpening opening,
        boolean quiet) {
    private static final Pattern DEEPEN = Pattern.compile("deepen(-since)? [0-9]{1,18}");

    /// Without `sparse:oid`, which has upstream read a file that the sandbox names.
    private static final String SIMPLE_FILTER =
            "(blob:none|blob:limit=[0-9]{1,18}[kmg]?|tree:[0-9]{1,18}"
                    + "|object:type=(blob|tree|commit|tag))";

    private static final Pattern FILTER =
            Pattern.compile(
                    "filter ("
                            + SIMPLE_FILTER
                            + "|combine:"
                            + SIMPLE_FILTER
                            + "(\\+"
                            + SIMPLE_FILTER
                            + "){1,3})");
    private static final String DEEPEN_NOT = "deepen-not ";

    /// What JGit can leave out of an answer. Not by the depth of trees: it visits a tree anew each
    /// time it meets it higher up, and does not stop when nobody waits any more.
    private static final Pattern COPYABLE =
            Pattern.compile(
                    "deepen ([0-9]{1,9}|2147483647)|deepen-since [0-9]{1,10}"
                            + "|filter (blob:none|blob:limit=[0-9]{1,18}|tree:0)");

    static boolean isCopyable(String extent) {
        return COPYABLE.matcher(extent).matches();
    }

    /// Whether this is a clone, as far as one can tell.
    boolean isClone() {
        return whole && claims.isEmpty();
    }

    /// Takes ownership.
    static byte[] bytes(ByteBuf buffer) {
        try {
            byte[] bytes = new byte[buffer.readableBytes()];
            buffer.readBytes(bytes);
            return bytes;
        } finally {
            buffer.release();
        }
    }

    /// Takes ownership of the body.
    static FetchRequest parse(ByteBuf body, RefVisibility visible) throws RefusedException {
        Parser parser = new Parser(visible, Set.of());
        try {
            parser.parse(body);
            return new FetchRequest(
                    parser.names.wants(),
                    parser.names.claims(),
                    parser.copyable,
                    parser.whole,
                    parser.opening(),
                    parser.quiet);
        } finally {
            parser.names.out().release();
        }
    }

    /// What upstream gets of a body. Takes ownership of the body.
    ///
    /// @param seen the claims that the session can see
    static ByteBuf rewrite(ByteBuf body, RefVisibility visible, Set<ObjectName> seen)
            throws RefusedException {
        Parser parser = new Parser(visible, seen);
        try {
            parser.parse(body);
            return parser.names.out();
        } catch (RefusedException e) {
            parser.names.out().release();
            throw e;
        }
    }

    private static final class Parser {
        private final RefVisibility visible;
        private final FetchNames names;
        private boolean wanted;
        private boolean copyable = true;
        private boolean whole = true;
        private boolean cut;
        private boolean sideband;
        private boolean quiet;
        private boolean done;

        Parser(RefVisibility visible, Set<ObjectName> seen) {
            this.visible = visible;
            this.names = new FetchNames(seen);
        }

        private FetchOpening opening() {
            boolean known = done && sideband && !cut && names.claims().isEmpty();
            return known ? FetchOpening.NAK : FetchOpening.UNKNOWN;
        }

        void parse(ByteBuf body) throws RefusedException {
            PktReader reader = new PktReader(Refusal.BAD_REQUEST);
            reader.offer(body);
            try {
                PktLine next;
                while ((next = reader.poll()) != null) {
                    switch (next) {
                        case PktLine.Flush _ -> flush();
                        case PktLine.Data data ->
                                line(new String(data.line(), StandardCharsets.ISO_8859_1));
                    }
                }
                if (reader.heldBytes() > 0 || !wanted) {
                    throw FetchNames.malformed("the request is cut");
                }
            } finally {
                reader.release();
            }
        }

        private void flush() throws RefusedException {
            if (done || (!wanted && names.wants().isEmpty())) {
                throw FetchNames.malformed("nothing is wanted");
            }
            wanted = true;
            PktLine.writeFlush(names.out());
        }

        private void line(String line) throws RefusedException {
            if (done) {
                throw FetchNames.malformed("something follows done");
            }
            if (wanted) {
                negotiation(line);
            } else if (line.startsWith("want ")) {
                want(line.substring("want ".length()));
            } else if (names.wants().isEmpty()) {
                throw FetchNames.malformed("a fetch begins with what it wants");
            } else {
                extent(line);
            }
        }

        private void want(String rest) throws RefusedException {
            int space = rest.indexOf(' ');
            if ((space >= 0) && !names.wants().isEmpty()) {
                throw FetchNames.malformed("the first line alone carries capabilities");
            }
            String capabilities =
                    space < 0
                            ? ""
                            : " "
                                    + String.join(
                                            " ",
                                            FetchCapabilities.requested(rest.substring(space)));
            names.want(space < 0 ? rest : rest.substring(0, space), capabilities);
            copyable &= !capabilities.contains(" deepen-relative");
            sideband |= (capabilities + " ").contains(" side-band-64k ");
            quiet |= (capabilities + " ").contains(" no-progress ");
        }

        private void extent(String line) throws RefusedException {
            whole = false;
            cut |= !line.startsWith("filter ");
            copyable &= line.startsWith("shallow ") || isCopyable(line);
            if (line.startsWith("shallow ")) {
                names.claim("shallow ", line);
            } else if (line.startsWith(DEEPEN_NOT)) {
                requireVisible(line.substring(DEEPEN_NOT.length()));
                names.pass(line);
            } else if (DEEPEN.matcher(line).matches() || FILTER.matcher(line).matches()) {
                names.pass(line);
            } else {
                throw FetchNames.malformed("this line is not known");
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
                throw FetchNames.malformed("deepen-not names a visible ref in full");
            }
        }

        private void negotiation(String line) throws RefusedException {
            if (line.equals("done")) {
                done = true;
                names.pass(line);
            } else if (line.startsWith("have ")) {
                names.claim("have ", line);
            } else {
                throw FetchNames.malformed("this line is not known");
            }
        }
    }
}
