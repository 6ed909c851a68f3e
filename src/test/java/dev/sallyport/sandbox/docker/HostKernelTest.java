package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// What the engine says is the first process tells whose kernel runs it.
class HostKernelTest {
    @Test
    void aRuntimeWithAKernelOfItsOwnIsNotTakenForTheContainersCommand() {
        assertThat(HostKernel.isIdle(words("/sbin/docker-init\0--\0sleep\0002147483647\0")))
                .isTrue();
        assertThat(HostKernel.isIdle(words("sleep\0002147483647\0"))).isTrue();
        assertThat(HostKernel.isIdle(words("runsc-sandbox\0--root=/run\0boot\0--bundle=/b\0id\0")))
                .isFalse();
        assertThat(HostKernel.isIdle(words("/usr/bin/qemu-system-x86_64\0-name\0sandbox-1\0")))
                .isFalse();
        assertThat(HostKernel.isIdle(words(""))).isFalse();
    }

    private static List<String> words(String commandLine) {
        return List.of(commandLine.split("\0", -1));
    }
}
