package dev.sallyport.git;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashSet;
import java.util.Set;

/// The objects that a fetch names, in either version of the protocol, and what is written of them:
/// of its claims only those that the session can see.
///
/// @param out the body that is written anew
record FetchNames(
        Set<ObjectName> seen, Set<ObjectName> wants, Set<ObjectName> claims, ByteBuf out) {
    FetchNames(Set<ObjectName> seen) {
        this(seen, new LinkedHashSet<>(), new LinkedHashSet<>(), Unpooled.buffer());
    }

    /// @param capabilities written behind it
    void want(String id, String capabilities) throws RefusedException {
        ObjectName name = id(id);
        wants.add(name);
        PktLine.write(out, "want " + name + capabilities + "\n");
    }

    void claim(String keyword, String line) throws RefusedException {
        ObjectName id = id(line.substring(keyword.length()));
        claims.add(id);
        if (seen.contains(id)) {
            PktLine.write(out, keyword + id + "\n");
        }
    }

    /// As it came.
    void pass(String line) {
        PktLine.write(out, line + "\n");
    }

    private static ObjectName id(String text) throws RefusedException {
        try {
            return ObjectName.parse(text);
        } catch (MalformedNameException _) {
            throw malformed("an object id is forty lower-case hex digits");
        }
    }

    static RefusedException malformed(String rule) {
        return new RefusedException(Refusal.BAD_REQUEST, rule);
    }
}
