package dev.sallyport.warden;

import dev.sallyport.session.Moment;
import java.time.Duration;

/// Stands still until it is told otherwise.
final class FakeClock implements Moment.Source {
    private volatile Moment now = Moment.now();

    @Override
    public Moment now() {
        return now;
    }

    /// Time passes on both clocks.
    void pass(Duration time) {
        now = new Moment(now.wall().plus(time), now.boot(), now.uptime().plus(time));
    }

    /// Somebody sets the wall clock.
    void setBack(Duration time) {
        now = new Moment(now.wall().minus(time), now.boot(), now.uptime());
    }
}
