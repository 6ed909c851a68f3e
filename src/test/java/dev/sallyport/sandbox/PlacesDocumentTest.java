package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// `docs/mounts.md` lists exactly the places that are refused.
class PlacesDocumentTest {
    private static Set<String> listedUnder(String heading) throws IOException {
        String document = Files.readString(Path.of("docs/mounts.md"));
        String section = document.split("\n### " + heading + "\n", 2)[1].split("\n#", 2)[0];
        return Pattern.compile("`([^`]+)`")
                .matcher(section)
                .results()
                .map(MatchResult::group)
                .map(quoted -> quoted.substring(1, quoted.length() - 1))
                .collect(Collectors.toSet());
    }

    @Test
    void everyPlaceIsInTheDocumentAndNoOther() throws IOException {
        assertThat(listedUnder("The kernel's")).containsExactlyInAnyOrderElementsOf(Places.KERNEL);
        assertThat(listedUnder("The system's"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Places.SYSTEM, Places.ENGINES).flatMap(List::stream).toList());
        assertThat(listedUnder("Shared by several"))
                .containsExactlyInAnyOrderElementsOf(Places.SHARED);
        assertThat(listedUnder("In the home directory"))
                .containsExactlyInAnyOrderElementsOf(Places.CREDENTIALS);
        assertThat(listedUnder("Named by the environment"))
                .containsExactlyInAnyOrderElementsOf(Places.VARIABLES);
    }
}
