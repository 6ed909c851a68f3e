package dev.sallyport.upstream;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The head of an answer, in the one form that is accepted. What of it is passed on is for the door
/// to decide.
///
/// @param status 100 to 599
/// @param fields in the order of the wire
/// @param framing how the end of the body is known
/// @param old whether it is of HTTP/1.0
/// @param lasting whether the connection may be used again after this answer
public record AnswerHead(
        int status, List<Field> fields, Framing framing, boolean old, boolean lasting) {
    public AnswerHead {
        fields = List.copyOf(fields);
    }

    /// One field.
    ///
    /// @param name in lower case
    /// @param value without surrounding white space; may have characters beyond ASCII, one for each
    ///   byte
    public record Field(String name, String value) {}

    /// How the end of an answer's body is known (RFC 9112, section 6.3).
    public sealed interface Framing {
        /// Because of the request's method or the status there is no body.
        ///
        /// @param announced what the length of a body would have been
        record None(OptionalLong announced) implements Framing {}

        /// It has this many bytes.
        record Sized(long bytes) implements Framing {}

        /// It says so itself.
        record Chunked() implements Framing {}

        /// It ends with the connection.
        record UntilClose() implements Framing {}
    }

    /// All values of a field, in the order of the wire.
    ///
    /// @param name in lower case
    public List<String> values(String name) {
        return values(fields, name);
    }

    static List<String> values(List<Field> fields, String name) {
        List<String> values = new ArrayList<>(1);
        for (Field field : fields) {
            if (field.name().equals(name)) {
                values.add(field.value());
            }
        }
        return values;
    }

    /// The value of a field that is there once.
    ///
    /// @param name in lower case
    public Optional<String> one(String name) {
        List<String> values = values(name);
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    /// The length to announce to the sandbox.
    public OptionalLong length() {
        return switch (framing) {
            case Framing.None(OptionalLong announced) -> announced;
            case Framing.Sized(long bytes) -> OptionalLong.of(bytes);
            case Framing.Chunked _, Framing.UntilClose _ -> OptionalLong.empty();
        };
    }

    /// Whether the host does not take the credential, or wants one (RFC 9110, section 15.5.2).
    boolean isUnauthorized() {
        return status == 401;
    }

    boolean isInterim() {
        return status < 200 && status != 101;
    }
}
