package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class CachePagesTest {
    /// What was written to memory of a file that is not shared would be lost.
    @Test
    void givesBackOnlyWhatNobodyCanWriteTo() {
        assertThat(
                        CachePages.readOnly(
                                Stream.of(
                                        "33c900001000-33c90140f000 rw-p 00001000 fe:00 7 /a/w.aot",
                                        "33c90140f000-33c902dce000 r--p 0140f000 fe:00 7 /a/w.aot",
                                        "7f4e4908b000-7f4e49101000 rw-p 02dce000 fe:00 7 /a/w.aot",
                                        "7f4e49200000-7f4e49300000 r--p 00000000 fe:00 8 /b/libc.so",
                                        "7f4e49400000-7f4e49500000 r--p 00000000 00:00 0")))
                .containsExactly(new CachePages.Range(0x33c90140f000L, 0x33c902dce000L));
    }

    @Test
    void thereIsNothingToGiveBackWithoutACache() {
        CachePages.ofThisProcess().giveBack();
    }
}
