package dev.sallyport.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A pack of a megabyte can have chains of deltas that are gigabytes in memory.
final class HeldBytesTest {
    private static final int PIECE_BYTES = 1 << 20;

    private final HeldBytes held = new HeldBytes(8L * PIECE_BYTES);

    @Test
    void whatIsHeldIsLimited() throws Exception {
        List<byte[]> chain = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            chain.add(new byte[PIECE_BYTES]);
            held.add(chain.getLast());
        }
        chain.add(new byte[PIECE_BYTES]);
        assertThatThrownBy(() -> held.add(chain.getLast())).isInstanceOf(LimitException.class);
        assertThat(chain).hasSize(9);
    }

    @Test
    void whatWasDroppedDoesNotCount() throws Exception {
        for (int i = 0; i < 100; i++) {
            held.add(new byte[PIECE_BYTES]);
        }
        assertThat(held).isNotNull();
    }
}
