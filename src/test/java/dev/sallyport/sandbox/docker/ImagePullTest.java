package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.PullResponseItem;
import dev.sallyport.sandbox.LongWork;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// What people hear of an image that is pulled, from what the engine says line by line.
class ImagePullTest {
    private static final String IMAGE = "node:24";

    private final ObjectMapper json = new ObjectMapper();
    private final LongWork work = new LongWork();

    private PullResponseItem said(String line) throws IOException {
        return json.readValue(line.replace('\'', '"'), PullResponseItem.class);
    }

    @Test
    void countsLayersAndBytesAndIsForgottenAtTheEnd() throws IOException {
        try (ImagePull pull = new ImagePull(IMAGE, work)) {
            assertThat(work.now()).containsEntry(IMAGE, "asking the registry");
            pull.onNext(said("{'status':'Pulling from library/node','id':'24'}"));
            assertThat(work.now()).containsEntry(IMAGE, "asking the registry");
            pull.onNext(said("{'status':'Pulling fs layer','id':'aa'}"));
            pull.onNext(said("{'status':'Already exists','id':'bb'}"));
            pull.onNext(
                    said(
                            "{'status':'Downloading','id':'aa','progressDetail':{'current':45000000,'total':90000000}}"));
            assertThat(work.now()).containsEntry(IMAGE, "1 of 2 layers, 45 MB");
            pull.onNext(said("{'status':'Download complete','id':'aa'}"));
            assertThat(work.now()).containsEntry(IMAGE, "1 of 2 layers, 90 MB");
            pull.onNext(said("{'status':'Pull complete','id':'aa'}"));
            assertThat(work.now()).containsEntry(IMAGE, "2 of 2 layers, 90 MB");
        }
        assertThat(work.now()).isEmpty();
    }

    @Test
    void noWordOfARegistryIsPassedOnAndNothingAfterTheEnd() throws IOException {
        ImagePull pull = new ImagePull(IMAGE, work);
        pull.onNext(said("{'status':'Pulling fs layer','id':'\\u001b[2J'}"));
        pull.onNext(said("{'status':'\\u001b[2J evil','id':'aa'}"));
        assertThat(work.now()).containsEntry(IMAGE, "0 of 1 layers, 0 MB");
        pull.close();
        pull.onNext(said("{'status':'Pull complete','id':'aa'}"));
        assertThat(work.now()).isEmpty();
    }
}
