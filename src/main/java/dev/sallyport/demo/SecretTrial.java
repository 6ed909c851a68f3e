package dev.sallyport.demo;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/// Searches everything that the sandbox can read for the real token. What is found inside is
/// brought out and searched here, because a search inside would have to know the token.
record SecretTrial(Theatre theatre) {
    /// Proves that the search finds what is there.
    private static final String PLANTED = "planted+/0123456789=";

    /// `/usr` is the host's own, read-only, and older than the token.
    private static final String READ_ALL =
            """
            export PLANTED_RAW='@RAW@' PLANTED_BASE64='@BASE64@'
            env
            git config --list --show-origin 2>&1
            for f in /proc/[0-9]*; do
              cat "$f/environ" "$f/cmdline" "$f/mountinfo" "$f/maps" 2>/dev/null
              ls -l "$f/fd" 2>/dev/null
            done
            find / \\( -path /proc -o -path /sys -o -path /usr -o -path /dev \\) -prune -o \
              -type f -readable -size -32768k -print0 2>/dev/null | xargs -0 -r cat 2>/dev/null
            echo files: $(find / \\( -path /proc -o -path /sys -o -path /usr -o -path /dev \\) -prune -o \
              -type f -readable -print 2>/dev/null | wc -l)
            """;

    Claim tokenIsNowhere() throws IOException {
        Shell.Said all =
                theatre.inside(
                        READ_ALL.replace("@RAW@", PLANTED).replace("@BASE64@", base64(PLANTED)));
        String haystack = all.out() + all.err();
        long found = forms(theatre.token()).filter(haystack::contains).count();
        String files = all.out().lines().reduce((a, b) -> b).orElse("");
        return new Evidence()
                .require(
                        List.of(PLANTED, base64(PLANTED)).stream().allMatch(haystack::contains),
                        "the search finds a planted token")
                .require(found == 0, "0 sightings of the token")
                .check(haystack.length() > 10_000, "almost nothing was searched")
                .require(files.startsWith("files: "), files)
                .claim("the token is in no variable, file, process or git setting");
    }

    /// The token as it is, and in each form that a program might have put it into.
    static Stream<String> forms(String token) {
        String pair = Theatre.USER + ":" + token;
        return Stream.of(
                        Stream.of(token, URLEncoder.encode(token, StandardCharsets.UTF_8)),
                        base64Forms(token),
                        base64Forms(pair))
                .flatMap(forms -> forms);
    }

    /// Base64 of a text depends on where it begins within three bytes; the middle does not.
    private static Stream<String> base64Forms(String text) {
        return Stream.of("", "x", "xx")
                .map(
                        before -> {
                            String encoded = base64(before + text);
                            return encoded.substring(
                                    before.isEmpty() ? 0 : 4, encoded.length() - 4);
                        });
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
