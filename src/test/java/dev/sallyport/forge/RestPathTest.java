package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.MalformedNameException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RestPathTest {
    private static final int ROUNDS = 20_000;
    private static final List<String> PIECES =
            List.of(
                    "/",
                    "/",
                    "/",
                    "%2F",
                    "%2f",
                    "repos",
                    "acme",
                    "app",
                    "pulls",
                    "5",
                    "contents",
                    "branches",
                    "git",
                    "ref",
                    "heads",
                    "a",
                    "%61",
                    "é",
                    "%C3%A9",
                    ".",
                    "..",
                    "%2e",
                    ";",
                    "%3B",
                    "%",
                    "%25",
                    "\\",
                    "%5C",
                    "main",
                    "...",
                    "status",
                    "%00",
                    "%20",
                    "+");

    private final Random random = new Random(31);

    /// Two spellings never lead to two operations: what is accepted and written anew is read as the
    /// same, and written as the same again.
    @Test
    void g23_whatIsWrittenAnewIsReadAsTheSame() throws MalformedNameException {
        int accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Optional<RestRoute.Match> match = match("/repos/acme/app" + anything());
            if (match.isPresent()) {
                accepted++;
                String written = "/repos/acme/app" + below(match.get());
                assertThat(written).matches("[A-Za-z0-9/._~%-]*").doesNotContain("//", "/../");
                Optional<RestRoute.Match> again = match(written);
                assertThat(again).isPresent();
                assertThat(again.get().route()).isEqualTo(match.get().route());
                assertThat(again.get().path()).isEqualTo(match.get().path());
                assertThat(again.get().number()).isEqualTo(match.get().number());
            }
        }
        assertThat(accepted).isGreaterThan(100);
    }

    private static String below(RestRoute.Match match) {
        return match.path().isEmpty() ? "" : "/" + match.path();
    }

    private static Optional<RestRoute.Match> match(String raw) {
        String sent = new String(raw.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        try {
            List<String> segments = RestPath.parse(sent).segments();
            return RestTable.find(RestTable.routes(), "GET", segments.subList(3, segments.size()));
        } catch (MalformedNameException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private String anything() {
        StringBuilder path = new StringBuilder();
        int length = random.nextInt(8);
        for (int i = 0; i < length; i++) {
            path.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return path.toString();
    }
}
