package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class LowPriorityTest {
    /// As the kernel has it for the thread that asks.
    private static int nice() throws Exception {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        // The name, in parentheses, may hold anything; the value is the nineteenth of all.
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
    }

    private static <T> T onThreadOfItsOwn(Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task.get();
    }

    @Test
    void isOfTheThreadThatAskedAndOfNoOther() throws Exception {
        int before = nice();
        int lowered =
                onThreadOfItsOwn(
                        () -> {
                            LowPriority.ofThisThread();
                            return nice();
                        });

        assertThat(lowered).isEqualTo(Math.max(nice(), LowPriority.NICE));
        assertThat(nice()).isEqualTo(before);
        assertThat(onThreadOfItsOwn(LowPriorityTest::nice)).isEqualTo(before);
    }

    @Test
    void raisesNobody() throws Exception {
        int lowest = 19;
        int nice =
                onThreadOfItsOwn(
                        () -> {
                            Kernel.call(Syscall.SETPRIORITY, 0, 0, lowest, 0);
                            LowPriority.ofThisThread();
                            return nice();
                        });
        assertThat(nice).isEqualTo(lowest);
    }

    /// The gateway's workers start when its filter is in place.
    @Test
    void canBeHadUnderTheGatewaysFilter() throws Exception {
        int lowered =
                onThreadOfItsOwn(
                        () -> {
                            Seccomp.onThisThread(SyscallFilter.ofGateway());
                            LowPriority.ofThisThread();
                            return nice();
                        });
        assertThat(lowered).isEqualTo(Math.max(nice(), LowPriority.NICE));
    }

    @Test
    void doesNotFailWhereTheKernelRefuses() throws Exception {
        int before = nice();
        int after =
                onThreadOfItsOwn(
                        () -> {
                            Seccomp.onThisThread(noPriorities());
                            LowPriority.ofThisThread();
                            return nice();
                        });
        assertThat(after).isEqualTo(before);
    }

    private static byte[] noPriorities() {
        CallRule none = new CallRule.Refuse(Errno.EPERM, List.of(Syscall.SETPRIORITY));
        return new FilterProgram(Processor.current()).with(List.of(none)).bytes();
    }
}
