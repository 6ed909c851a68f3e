package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Refusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RefusalPageTest {
    @ParameterizedTest
    @EnumSource(Refusal.class)
    void saysSentenceReasonAndIdInThreeLines(Refusal refusal) {
        RefusalPage page = RefusalPage.of(refusal, "feedfacefeedface");
        assertThat(page.status()).isBetween(400, 599).isNotEqualTo(401);
        assertThat(page.text().lines())
                .hasSize(3)
                .contains("reason: " + refusal.code(), "id: feedfacefeedface");
        assertThat(page.fields())
                .containsEntry("content-type", "text/plain; charset=utf-8")
                .containsEntry("cache-control", "no-store")
                .containsEntry("sallyport-reason", refusal.code())
                .containsEntry("sallyport-id", "feedfacefeedface");
    }

    @Test
    void deniesARepositoryWith403AndAnotherHashWith501() {
        assertThat(RefusalPage.of(Refusal.REPO_UNAVAILABLE, "x").status()).isEqualTo(403);
        assertThat(RefusalPage.of(Refusal.SHA256_NOT_SUPPORTED, "x").status()).isEqualTo(501);
    }
}
