package dev.sallyport.confine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// Writes a program for the kernel's packet filter machine (`seccomp(2)`, "Filters"). Each rule
/// looks at one call and either returns or goes on to the next; what no rule answers is allowed.
final class FilterProgram {
    /// `struct sock_filter`.
    static final int INSTRUCTION_BYTES = 8;

    private static final int LOAD_WORD = 0x20;
    private static final int AND = 0x54;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int JUMP_IF_GREATER = 0x25;
    private static final int RETURN = 0x06;

    private static final int NUMBER = 0;
    private static final int ARCHITECTURE = 4;
    private static final int ARGUMENTS = 16;
    private static final int ARGUMENT_BYTES = 8;

    private static final int ALLOW = 0x7fff0000;
    private static final int FAIL_WITH = 0x00050000;
    private static final int KILL_PROCESS = 0x80000000;

    private final Processor processor;
    private final List<Long> instructions = new ArrayList<>();

    /// A process that changes to another processor's calls (32 bits) ends, because its numbers mean
    /// something else. Calls that nobody looked at yet do not exist; nor do those of x86-64's x32
    /// variant, whose numbers are high.
    FilterProgram(Processor processor) {
        this.processor = processor;
        add(LOAD_WORD, 0, 0, ARCHITECTURE);
        add(JUMP_IF_EQUAL, 1, 0, processor.audit());
        add(RETURN, 0, 0, KILL_PROCESS);
        add(LOAD_WORD, 0, 0, NUMBER);
        add(JUMP_IF_GREATER, 0, 1, Processor.NEWEST);
        add(RETURN, 0, 0, FAIL_WITH | Errno.ENOSYS.number());
    }

    FilterProgram refuse(Errno error, List<Syscall> calls) {
        for (Syscall call : calls) {
            int number = processor.numberOf(call);
            if (number != Syscall.ABSENT) {
                add(JUMP_IF_EQUAL, 0, 1, number);
                add(RETURN, 0, 0, FAIL_WITH | error.number());
            }
        }
        return this;
    }

    /// Allows a call only with these values of one argument.
    ///
    /// @param argument counted from 0; only its lower 32 bits are looked at, as the kernel does for
    ///   an `int`
    FilterProgram only(Syscall call, int argument, List<Integer> values, Errno otherwise) {
        List<Long> body = new ArrayList<>();
        body.add(load(argument));
        for (int value : values) {
            body.add(instruction(JUMP_IF_EQUAL, 0, 1, value));
            body.add(instruction(RETURN, 0, 0, ALLOW));
        }
        body.add(instruction(RETURN, 0, 0, FAIL_WITH | otherwise.number()));
        return about(call, body);
    }

    /// Refuses a call with one of these values.
    FilterProgram except(Syscall call, int argument, List<Integer> values, Errno error) {
        List<Long> body = new ArrayList<>();
        body.add(load(argument));
        for (int value : values) {
            body.add(instruction(JUMP_IF_EQUAL, 0, 1, value));
            body.add(instruction(RETURN, 0, 0, FAIL_WITH | error.number()));
        }
        body.add(instruction(RETURN, 0, 0, ALLOW));
        return about(call, body);
    }

    /// Refuses a call unless exactly `wanted` of the bits in `mask` are set.
    FilterProgram bits(Syscall call, int argument, int mask, int wanted, Errno error) {
        return about(
                call,
                List.of(
                        load(argument),
                        instruction(AND, 0, 0, mask),
                        instruction(JUMP_IF_EQUAL, 1, 0, wanted),
                        instruction(RETURN, 0, 0, FAIL_WITH | error.number()),
                        instruction(RETURN, 0, 0, ALLOW)));
    }

    private FilterProgram about(Syscall call, List<Long> body) {
        int number = processor.numberOf(call);
        if (number != Syscall.ABSENT) {
            add(JUMP_IF_EQUAL, 0, body.size(), number);
            instructions.addAll(body);
        }
        return this;
    }

    /// In the form that the kernel and bubblewrap take.
    byte[] bytes() {
        ByteBuffer bytes =
                ByteBuffer.allocate((instructions.size() + 1) * INSTRUCTION_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        instructions.forEach(bytes::putLong);
        bytes.putLong(instruction(RETURN, 0, 0, ALLOW));
        return bytes.array();
    }

    private static long load(int argument) {
        return instruction(LOAD_WORD, 0, 0, ARGUMENTS + argument * ARGUMENT_BYTES);
    }

    private void add(int code, int ifTrue, int ifFalse, int operand) {
        instructions.add(instruction(code, ifTrue, ifFalse, operand));
    }

    /// @param ifTrue how many instructions to skip when the comparison holds
    /// @param ifFalse and when it does not
    private static long instruction(int code, int ifTrue, int ifFalse, int operand) {
        return (long) operand << 32 | (long) ifFalse << 24 | (long) ifTrue << 16 | code;
    }
}
