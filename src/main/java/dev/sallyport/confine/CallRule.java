package dev.sallyport.confine;

import java.util.List;

/// One rule of a filter, in no filter's language: [FilterProgram] writes it for the kernel,
/// [EngineProfile] for a container engine. Only the lower 32 bits of an argument are looked at, as
/// the kernel does for an `int`.
sealed interface CallRule {
    /// These calls fail.
    record Refuse(Errno error, List<Syscall> calls) implements CallRule {
        public Refuse {
            calls = List.copyOf(calls);
        }
    }

    /// A call is allowed with these values of one argument, counted from 0, and with no others.
    record Only(Syscall call, int argument, List<Integer> values, Errno otherwise)
            implements CallRule {
        public Only {
            values = List.copyOf(values);
        }
    }

    /// A call is allowed unless one argument has one of these values.
    record Except(Syscall call, int argument, List<Integer> values, Errno error)
            implements CallRule {
        public Except {
            values = List.copyOf(values);
        }
    }

    /// A call is allowed when of the bits in `mask` exactly `wanted` are set.
    record Bits(Syscall call, int argument, int mask, int wanted, Errno error)
            implements CallRule {}
}
