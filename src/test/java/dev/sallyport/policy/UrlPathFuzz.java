package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.net.URI;
import java.nio.charset.StandardCharsets;

final class UrlPathFuzz {
    /// E10: what is accepted has one spelling, and no reader finds a way up in it.
    @FuzzTest
    void whatIsAcceptedMeansOnePath(byte[] input) throws MalformedNameException {
        String raw = new String(input, StandardCharsets.ISO_8859_1);
        UrlPath path;
        try {
            path = UrlPath.parse(raw);
        } catch (MalformedNameException _) {
            return;
        }
        String written = path.toString();
        assertThat(written).matches("/[!-~]*").doesNotContain("//");
        UrlPath again = UrlPath.parse(written);
        assertThat(again).isEqualTo(path);
        assertThat(again).hasToString(written);

        URI uri = URI.create("http://example.com" + written);
        assertThat(uri.normalize()).isEqualTo(uri);
        assertThat(uri.getRawPath()).isEqualTo(written);
        assertThat(uri.getRawQuery()).isNull();
        for (String segment : uri.getPath().split("/", -1)) {
            assertThat(segment.split(";", 2)[0]).isNotIn(".", "..");
            assertThat(segment).doesNotContain("\\");
        }
    }
}
