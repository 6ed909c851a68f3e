package dev.sallyport.warden;

import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Set;

/// One row of the control API's table.
///
/// @param path template whose segment `{name}` stands for one name
record Operation(HttpMethod method, String path, Set<Role> roles, Handler handler) {

    Operation {
        roles = Set.copyOf(roles);
    }

    /// What an operation does. It runs on a virtual thread and may block. One that changes
    /// something records it first.
    interface Handler {
        Object handle(Call call) throws OperationException;
    }

    /// An answer that is not JSON, for programs that expect another format.
    record Text(String text) {
        static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    }

    /// One request.
    ///
    /// @param role who asks
    /// @param name what stood in the place of `{name}`, or empty
    /// @param connection what leases hang on
    record Call(Role role, String name, Body body, Leases.Holder connection) {
        <T> T as(Class<T> type) throws OperationException {
            return body.as(type);
        }
    }

    /// The request's body, read as the record that the operation expects.
    interface Body {
        <T> T as(Class<T> type) throws OperationException;
    }

    boolean matches(List<String> segments) {
        List<String> template = segments(path);
        if (template.size() != segments.size()) {
            return false;
        }
        for (int i = 0; i < template.size(); i++) {
            if (!template.get(i).equals("{name}") && !template.get(i).equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    String nameIn(List<String> segments) {
        int at = segments(path).indexOf("{name}");
        return at < 0 ? "" : segments.get(at);
    }

    static List<String> segments(String path) {
        return List.of(path.split("/", -1));
    }
}
