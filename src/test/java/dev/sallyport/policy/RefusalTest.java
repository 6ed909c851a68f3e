package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RefusalTest {
    private static Set<Refusal> of(Refusal.Fault fault) {
        return EnumSet.allOf(Refusal.class).stream()
                .filter(reason -> reason.fault() == fault)
                .collect(Collectors.toSet());
    }

    /// Whoever leaves the fault of a new reason out says that it is the sandbox's own.
    @Test
    void theseAreNotTheSandboxesFault() {
        assertThat(of(Refusal.Fault.UPSTREAM))
                .containsExactlyInAnyOrder(
                        Refusal.LFS_STORAGE_NOT_ALLOWED,
                        Refusal.SHA256_NOT_SUPPORTED,
                        Refusal.ADDRESS_NOT_ALLOWED,
                        Refusal.CREDENTIAL_REFUSED,
                        Refusal.CREDENTIAL_MISSING,
                        Refusal.LOGIN_EXPIRED,
                        Refusal.LOGIN_NOT_RENEWED,
                        Refusal.LOGIN_RENEWED,
                        Refusal.TOKEN_NOT_MINTED,
                        Refusal.UPSTREAM_FORBIDDEN,
                        Refusal.REPO_NOT_FOUND,
                        Refusal.UPSTREAM_TOO_LARGE,
                        Refusal.UPSTREAM_BUSY,
                        Refusal.UPSTREAM_FAILED,
                        Refusal.UPSTREAM_UNREACHABLE,
                        Refusal.UPSTREAM_UNTRUSTED,
                        Refusal.UPSTREAM_TIMEOUT,
                        Refusal.UPSTREAM_MISBEHAVED);
        assertThat(of(Refusal.Fault.GATEWAY))
                .containsExactlyInAnyOrder(
                        Refusal.NOT_RECORDED,
                        Refusal.DISK_FULL,
                        Refusal.MIRROR_UNAVAILABLE,
                        Refusal.GATEWAY_BUSY,
                        Refusal.INTERNAL);
    }
}
