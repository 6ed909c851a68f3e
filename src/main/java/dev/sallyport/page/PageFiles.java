package dev.sallyport.page;

import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The files of the page, which are the same for everybody and hold nothing of anybody's.
final class PageFiles {
    private static final Map<String, String> NAMES =
            Map.of(
                    "/", "index.html",
                    "/page.css", "page.css",
                    "/page.js", "page.js",
                    "/parts.js", "parts.js",
                    "/feed.js", "feed.js",
                    "/approvals.js", "approvals.js",
                    "/icon.svg", "icon.svg");

    private static final Map<String, String> TYPES =
            Map.of(
                    "html", "text/html; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "svg", "image/svg+xml");

    private final Map<String, PageFile> files = new HashMap<>();

    /// One of them, which is never changed.
    static final class PageFile {
        private final String type;
        private final byte[] bytes;

        PageFile(String type, byte[] bytes) {
            this.type = type;
            this.bytes = bytes;
        }

        FullHttpResponse answer() {
            return PageAnswer.of(HttpResponseStatus.OK, type, bytes);
        }
    }

    PageFiles() {
        NAMES.forEach((path, name) -> files.put(path, load(name)));
    }

    Optional<PageFile> find(String path) {
        return Optional.ofNullable(files.get(path));
    }

    private static PageFile load(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the page lacks its file " + name);
            }
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "");
            return new PageFile(type, in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
