package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class UsageTest {
    @Test
    void addsUp() {
        Usage used = new Usage(1, 2, 3, 4).plus(new Usage(10, 20, 30, 40));
        assertThat(used).isEqualTo(new Usage(11, 22, 33, 44));
        assertThat(used.bytes()).isEqualTo(55);
    }

    /// A gateway that has been taken over reports what it likes; sessions must still be able to
    /// end.
    @Test
    void moreThanALongHoldsIsTheMostThatItHolds() {
        long most = Long.MAX_VALUE;
        Usage all = new Usage(most, most, most, most);
        assertThat(all.plus(Usage.UNKNOWN)).isEqualTo(all);
        assertThat(all.bytes()).isEqualTo(most);
        Caps caps = new Caps(Optional.empty(), Optional.of(1L), Optional.empty());
        assertThat(caps.reached(all)).isPresent();
    }
}
