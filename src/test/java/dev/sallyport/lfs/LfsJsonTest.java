package dev.sallyport.lfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LfsJsonTest {
    private static byte[] objects(int count) {
        String text = "{\"objects\":[" + "{},".repeat(count) + "{}]}";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// G26: few bytes on the wire can be many objects in memory.
    @Test
    void g26_anAnswerOfManySmallPartsIsNotRead() {
        assertThat(LfsJson.JSON.read(objects(1_000))).as("positive control").isPresent();
        assertThat(LfsJson.JSON.read(objects(150_000))).isEmpty();
    }
}
