package dev.sallyport.page;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import java.time.Duration;
import java.util.List;

/// The cookie of a session. Browsers keep no ports apart, so its name has the port: two pages on
/// one machine do not end each other's sessions.
record PageCookie(int port) {
    String name() {
        return "sallyport-" + port;
    }

    List<String> of(HttpHeaders headers) {
        return headers.getAll(HttpHeaderNames.COOKIE).stream()
                .flatMap(field -> ServerCookieDecoder.STRICT.decodeAll(field).stream())
                .filter(cookie -> cookie.name().equals(name()))
                .map(Cookie::value)
                .toList();
    }

    String set(String session) {
        return text(session, PageSessions.SESSION_LIFE);
    }

    String clear() {
        return text("", Duration.ZERO);
    }

    private String text(String value, Duration life) {
        return "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict"
                .formatted(name(), value, life.toSeconds());
    }
}
