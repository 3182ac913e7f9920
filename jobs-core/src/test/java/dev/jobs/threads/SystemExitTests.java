package dev.jobs.threads;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SystemExitTests {

    private static StackTraceElement frame(String type, String method) {
        return new StackTraceElement(type, method, null, 1);
    }

    @Test
    void aThreadThatCalledSystemExitIsRecognisedWhateverItWaitsFor() {
        StackTraceElement[] stack = {
            frame("java.lang.Object", "wait"),
            frame("java.lang.Shutdown", "exit"),
            frame("java.lang.Runtime", "exit"),
            frame("java.lang.System", "exit"),
            frame("shop.Reports", "build")
        };
        assertThat(Threads.isExiting(stack)).isTrue();
    }

    @Test
    void aMethodOfTheApplicationMayHaveThatName() {
        assertThat(Threads.isExiting(
                        new StackTraceElement[] {frame("shop.Runtime", "exit"), frame("shop.Door", "exit")}))
                .isFalse();
        assertThat(Threads.isExiting(Thread.currentThread())).isFalse();
    }
}
