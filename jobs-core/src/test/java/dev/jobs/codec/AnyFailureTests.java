package dev.jobs.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnyFailureTests {

    /** What asks for more than an array can hold, and gets an error while the heap is nearly empty. */
    static final List<ThrowingCallable> TOO_LARGE = List.of(
            () -> assertThat(new byte[Integer.MAX_VALUE]).isNull(),
            () -> new ArrayList<>(Integer.MAX_VALUE),
            () -> "ab".repeat(Integer.MAX_VALUE),
            () -> "é漢".repeat(Integer.MAX_VALUE / 2),
            () -> new StringBuilder("ab").ensureCapacity(Integer.MAX_VALUE));

    @ParameterizedTest
    @FieldSource("TOO_LARGE")
    void aSizeThatNoArrayCanHaveIsNoLackOfMemory(ThrowingCallable asks) {
        Throwable thrown = catchThrowable(asks);

        assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
        assertThat(AnyFailure.outOfMemory(thrown)).as(String.valueOf(thrown)).isNull();
        AnyFailure.passOutOfMemory(new ExecutionException(thrown)); // throws nothing
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Java heap space",
                "GC overhead limit exceeded",
                "Metaspace",
                "Compressed class space",
                "unable to create native thread: possibly out of memory or process/resource limits reached",
                "Cannot reserve 1024 bytes of direct buffer memory (allocated: 1, limit: 2)"
            })
    void anExhaustedResourceIsALackOfMemory(String message) {
        OutOfMemoryError error = new OutOfMemoryError(message);

        assertThat(AnyFailure.outOfMemory(error)).isSameAs(error);
        assertThat(AnyFailure.outOfMemory(new ExecutionException(error))).isSameAs(error);
    }

    @Test
    void anErrorWithoutAMessageIsALackOfMemory() {
        OutOfMemoryError error = new OutOfMemoryError();

        assertThat(AnyFailure.outOfMemory(error)).isSameAs(error);
    }
}
