package dev.sallyport.dns;

import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.NameTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.function.Supplier;

/// Answers the questions of one session from its policy alone. There is no resolver behind it: no
/// query can leave the host because a sandbox asked.
public final class DnsAnswers {
    private static final String GATEWAY = "gateway.sallyport";
    private static final int LOOPBACK = 127 << 24 | 1;
    private static final int TYPE_A = 1;
    private static final int CLASS_IN = 1;

    private final Supplier<LiveSession> session;
    private final DeniedNames denied;
    private final NameTable names;

    public DnsAnswers(Supplier<LiveSession> session, NameTable names, Recorder recorder) {
        this.session = session;
        this.names = names;
        this.denied = new DeniedNames(session.get().id(), recorder);
    }

    /// Reads `message` to its end; empty when there is nothing to say to it.
    Optional<ByteBuf> answer(ByteBuf message, ByteBufAllocator allocator) {
        return switch (DnsQuery.read(message)) {
            case DnsQuery.Reading.Silent _ -> Optional.empty();
            case DnsQuery.Reading.Faulty(int id, int opcode, DnsCode code) ->
                    Optional.of(DnsReply.fault(allocator, id, opcode, code));
            case DnsQuery.Reading.Asked(DnsQuery query) ->
                    Optional.of(reply(query).encode(allocator));
        };
    }

    private DnsReply reply(DnsQuery query) {
        if (query.ednsVersion() != 0) {
            return DnsReply.of(query, DnsCode.BAD_VERSION);
        }
        if (query.question().recordClass() != CLASS_IN) {
            return DnsReply.of(query, DnsCode.REFUSED);
        }
        Optional<Integer> address = lookUp(query.question().name());
        if (address.isEmpty()) {
            denied.denied(query.question().name());
            return DnsReply.of(query, DnsCode.NO_SUCH_NAME);
        }
        return query.question().type() == TYPE_A
                ? DnsReply.withAddress(query, address.get())
                : DnsReply.of(query, DnsCode.NO_ERROR);
    }

    private Optional<Integer> lookUp(String name) {
        if (name.equals(GATEWAY)) {
            return Optional.of(LOOPBACK);
        }
        try {
            return names.addressOf(HostName.parse(name), session.get().policy());
        } catch (MalformedNameException e) {
            return Optional.empty();
        }
    }
}
