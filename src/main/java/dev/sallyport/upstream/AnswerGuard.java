package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpRequest;
import java.util.List;
import java.util.Optional;

/// Keeps the secret that went along with a request out of all parts of its answer: head, body, and
/// the fields after it (E14). It is the same for every wire.
final class AnswerGuard {
    /// What says that nobody would recognise the secret in the body.
    private static final List<String> CODINGS =
            List.of("content-encoding", "grpc-encoding", "connect-content-encoding");

    private static final String GRPC = "application/grpc";

    private final Optional<EchoGuard> echo;

    /// Whether the body is messages, after each of which the host may wait for the sandbox's next.
    private boolean dialogue;

    AnswerGuard(Optional<EchoGuard> echo) {
        this.echo = echo;
    }

    /// For one request. An answer that the gateway keeps to itself may repeat the credential.
    ///
    /// @param written its head, with the credential
    static AnswerGuard of(Asked asked, CredentialBook credentials, HttpRequest written) {
        return new AnswerGuard(
                asked.kept() ? Optional.empty() : credentials.guard(asked.permit(), written));
    }

    Optional<EchoGuard> echo() {
        return echo;
    }

    /// Whether it repeats the secret, or a body that it announces could without our seeing it.
    boolean objectsTo(AnswerHead head) {
        dialogue = head.one("content-type").filter(type -> type.startsWith(GRPC)).isPresent();
        boolean coded =
                CODINGS.stream()
                        .flatMap(name -> head.values(name).stream())
                        .anyMatch(coding -> !coding.equalsIgnoreCase("identity"));
        return echo.isPresent() && (coded || objectsTo(head.fields()));
    }

    boolean objectsTo(List<AnswerHead.Field> fields) {
        return echo.filter(guard -> isIn(fields, guard)).isPresent();
    }

    private static boolean isIn(List<AnswerHead.Field> fields, EchoGuard guard) {
        return fields.stream().anyMatch(f -> guard.isIn(f.name() + ":" + f.value()));
    }

    /// Takes ownership; returns what may be let through now, which may be nothing.
    ByteBuf pass(ByteBuf bytes) throws EchoException {
        return echo.isPresent() ? echo.get().pass(bytes, dialogue) : bytes;
    }

    /// The body has ended: what was held back was not the secret after all.
    ByteBuf rest() {
        return echo.isPresent() ? echo.get().rest() : Unpooled.EMPTY_BUFFER;
    }

    void release() {
        echo.ifPresent(EchoGuard::release);
    }
}
