package dev.sallyport.carry;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.Map;

/// The options of a socket that mean something for a stream.
final class CarriedConfig extends DefaultChannelConfig {
    private final CarriedChannel carried;
    private volatile boolean halfClosure;
    private volatile int linger = -1;

    CarriedConfig(CarriedChannel carried) {
        super(carried);
        this.carried = carried;
    }

    boolean isHalfClosure() {
        return halfClosure;
    }

    /// Whether a close is a reset.
    boolean isReset() {
        return linger == 0;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(), ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.SO_LINGER);
    }

    @Override
    @SuppressWarnings("unchecked") // the option says which type it has
    public <T> T getOption(ChannelOption<T> option) {
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            return (T) Boolean.valueOf(halfClosure);
        }
        if (option.equals(ChannelOption.SO_LINGER)) {
            return (T) Integer.valueOf(linger);
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            halfClosure = (Boolean) value;
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            linger = (Integer) value;
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    protected void autoReadCleared() {
        carried.unwant();
    }
}
