package dev.sallyport.push;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Takes every `SECRET-word` for a credential.
final class FakeFinder implements SecretFinder {
    private static final Pattern SECRET = Pattern.compile("SECRET-[a-z0-9]+");

    @Override
    public List<SecretFinding> find(InputStream content) throws IOException {
        String text = new String(content.readAllBytes(), StandardCharsets.ISO_8859_1);
        List<SecretFinding> found = new ArrayList<>();
        Matcher matcher = SECRET.matcher(text);
        while (matcher.find()) {
            long line = 1 + text.substring(0, matcher.start()).chars().filter(c -> c == 10).count();
            found.add(new SecretFinding("test-token", line, matcher.group()));
        }
        return found;
    }
}
