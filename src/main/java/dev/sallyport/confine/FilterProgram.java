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
        instructions.add(fail(Errno.ENOSYS));
    }

    FilterProgram with(List<CallRule> rules) {
        rules.forEach(this::add);
        return this;
    }

    private void add(CallRule rule) {
        switch (rule) {
            case CallRule.Refuse(Errno error, List<Syscall> calls) ->
                    calls.forEach(call -> about(call, List.of(fail(error))));
            case CallRule.Only(Syscall call, int argument, List<Integer> values, Errno otherwise) ->
                    about(call, choice(argument, values, allow(), fail(otherwise)));
            case CallRule.Except(Syscall call, int argument, List<Integer> values, Errno error) ->
                    about(call, choice(argument, values, fail(error), allow()));
            case CallRule.Bits(Syscall call, int argument, int mask, int wanted, Errno error) ->
                    about(
                            call,
                            List.of(
                                    load(argument),
                                    instruction(AND, 0, 0, mask),
                                    instruction(JUMP_IF_EQUAL, 1, 0, wanted),
                                    fail(error),
                                    allow()));
        }
    }

    private static List<Long> choice(int argument, List<Integer> values, long these, long others) {
        List<Long> body = new ArrayList<>(List.of(load(argument)));
        for (int value : values) {
            body.add(instruction(JUMP_IF_EQUAL, 0, 1, value));
            body.add(these);
        }
        body.add(others);
        return body;
    }

    private void about(Syscall call, List<Long> body) {
        int number = processor.numberOf(call);
        if (number != Syscall.ABSENT) {
            add(JUMP_IF_EQUAL, 0, body.size(), number);
            instructions.addAll(body);
        }
    }

    /// In the form that the kernel and bubblewrap take.
    byte[] bytes() {
        ByteBuffer bytes =
                ByteBuffer.allocate((instructions.size() + 1) * INSTRUCTION_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        instructions.forEach(bytes::putLong);
        bytes.putLong(allow());
        return bytes.array();
    }

    private static long allow() {
        return instruction(RETURN, 0, 0, ALLOW);
    }

    private static long fail(Errno error) {
        return instruction(RETURN, 0, 0, FAIL_WITH | error.number());
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
