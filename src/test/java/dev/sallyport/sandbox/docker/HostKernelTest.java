package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What the engine says is the first process tells whose kernel runs it.
class HostKernelTest {
    @Test
    void aRuntimeWithAKernelOfItsOwnIsNotTakenForTheContainersCommand() {
        assertThat(HostKernel.isIdle("/sbin/docker-init\0--\0sleep\0002147483647\0")).isTrue();
        assertThat(HostKernel.isIdle("sleep\0002147483647\0")).isTrue();
        assertThat(HostKernel.isIdle("runsc-sandbox\0--root=/run\0boot\0--bundle=/b\0id\0"))
                .isFalse();
        assertThat(HostKernel.isIdle("/usr/bin/qemu-system-x86_64\0-name\0sandbox-1\0")).isFalse();
        assertThat(HostKernel.isIdle("")).isFalse();
    }
}
