package dev.sallyport.page;

import io.netty.handler.codec.http.HttpMethod;
import java.util.List;

/// One request that the guard let pass.
///
/// @param cookies values of the session's cookie: a server on another port can add to them
/// @param uid of the account at the other end
record PageCall(HttpMethod method, String path, List<String> cookies, String body, int uid) {
    boolean is(HttpMethod wanted, String wantedPath) {
        return method.equals(wanted) && path.equals(wantedPath);
    }
}
