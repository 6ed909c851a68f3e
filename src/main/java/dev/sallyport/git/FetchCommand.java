package dev.sallyport.git;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Pattern;

/// The body of a fetch in protocol v2, as far as the local copy can answer it, parsed strictly and
/// written anew for the copy. Whatever else a client asks for is upstream's to answer.
///
/// ```
/// command=fetch, agent, object-format | delimiter | want, have, shallow, deepen, filter, done | flush
/// ```
///
/// Left out of what is written: `include-tag`, because git asks for the tags it misses.
final class FetchCommand {
    private static final Pattern CAPABILITY =
            Pattern.compile("(agent|session-id)=[!-~]{1,256}|object-format=sha1");
    private static final Set<String> WORDS =
            Set.of("thin-pack", "no-progress", "ofs-delta", "done");
    private static final String DROPPED = "include-tag";

    private final FetchNames names;
    private boolean whole = true;
    private boolean cut;
    private boolean quiet;
    private boolean done;

    private FetchCommand(Set<ObjectName> seen) {
        this.names = new FetchNames(seen);
    }

    static FetchRequest parse(byte[] body) throws RefusedException {
        FetchCommand command = new FetchCommand(Set.of());
        command.read(body);
        return new FetchRequest(
                command.names.wants(),
                command.names.claims(),
                true,
                command.whole,
                command.done && !command.cut ? FetchOpening.PACKFILE : FetchOpening.UNKNOWN,
                command.quiet);
    }

    /// What the copy gets of a body.
    ///
    /// @param seen the claims that the session can see
    static byte[] rewrite(byte[] body, Set<ObjectName> seen) throws RefusedException {
        FetchCommand command = new FetchCommand(seen);
        command.read(body);
        return FetchRequest.bytes(command.names.out());
    }

    private void read(byte[] body) throws RefusedException {
        int delimiter = indexOfDelimiter(body);
        lines(body, 0, delimiter, this::capability);
        names.out().writeBytes("0001".getBytes(StandardCharsets.US_ASCII));
        lines(body, delimiter + PktLine.LENGTH_BYTES, body.length, this::argument);
        PktLine.writeFlush(names.out());
        if (names.wants().isEmpty()) {
            throw FetchNames.malformed("nothing is wanted");
        }
    }

    private interface Line {
        void take(String line) throws RefusedException;
    }

    private static int indexOfDelimiter(byte[] body) throws RefusedException {
        int at = 0;
        while (at + PktLine.LENGTH_BYTES <= body.length) {
            String length = new String(body, at, PktLine.LENGTH_BYTES, StandardCharsets.ISO_8859_1);
            if (length.equals("0001")) {
                return at;
            }
            if (!length.matches("00[0-9a-f]{2}") || length.equals("0000")) {
                break;
            }
            at += Math.max(PktLine.LENGTH_BYTES, Integer.parseInt(length, 16));
        }
        throw FetchNames.malformed("arguments follow a delimiter");
    }

    /// The second part ends in the one flush; the first has none.
    private static void lines(byte[] body, int from, int to, Line each) throws RefusedException {
        PktReader reader = new PktReader(Refusal.BAD_REQUEST);
        reader.offer(Unpooled.wrappedBuffer(body, from, to - from));
        boolean ended = false;
        try {
            PktLine next;
            while ((next = reader.poll()) != null) {
                if (ended) {
                    throw FetchNames.malformed("something follows the end");
                }
                switch (next) {
                    case PktLine.Flush _ -> ended = true;
                    case PktLine.Data data ->
                            each.take(new String(data.line(), StandardCharsets.ISO_8859_1));
                }
            }
            if (reader.heldBytes() > 0 || ended != (to == body.length)) {
                throw FetchNames.malformed("the request is cut");
            }
        } finally {
            reader.release();
        }
    }

    private void capability(String line) throws RefusedException {
        boolean first = !names.out().isReadable();
        if (first ? !line.equals("command=fetch") : !CAPABILITY.matcher(line).matches()) {
            throw FetchNames.malformed("this command or capability is not known");
        }
        if (first) {
            names.pass(line);
        }
    }

    private void argument(String line) throws RefusedException {
        if (line.startsWith("want ")) {
            names.want(line.substring("want ".length()), "");
        } else if (line.startsWith("have ")) {
            names.claim("have ", line);
        } else if (line.startsWith("shallow ")) {
            whole = false;
            cut = true;
            names.claim("shallow ", line);
        } else if (FetchRequest.isCopyable(line)) {
            whole = false;
            cut |= !line.startsWith("filter ");
            names.pass(line);
        } else if (WORDS.contains(line)) {
            quiet |= line.equals("no-progress");
            done |= line.equals("done");
            names.pass(line);
        } else if (!line.equals(DROPPED)) {
            throw FetchNames.malformed("this argument is not known");
        }
    }
}
