package dev.sallyport.lfs;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.relay.RefusedException;
import java.io.IOException;

final class BatchRequestFuzz {
    /// G26: whatever a sandbox sends, what goes upstream is a batch of named objects with sizes, in
    /// the one way to transfer that is offered, and reads back as itself.
    @FuzzTest
    void whatGoesUpstreamIsABatchOfObjects(byte[] input) throws IOException, RefusedException {
        BatchRequest batch;
        try {
            batch = BatchRequest.parse(input);
        } catch (RefusedException _) {
            return;
        }
        assertThat(batch.objects()).isNotEmpty().hasSizeLessThanOrEqualTo(1_000);
        assertThat(batch.objects())
                .allMatch(object -> object.oid().hex().matches("[0-9a-f]{64}"))
                .allMatch(object -> object.size() >= 0);
        JsonNode json = JsonMapper.builder().build().readTree(batch.json());
        assertThat(json.path("transfers").toString()).isEqualTo("[\"basic\"]");
        assertThat(json.path("operation").asText()).isEqualTo(batch.word());
        assertThat(BatchRequest.parse(batch.json())).isEqualTo(batch);
    }
}
