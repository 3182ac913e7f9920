package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisErrors;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a process hears when it publishes itself. What it hears of cancellations and limits doesn't depend on whether it
 * could be published.
 *
 * @param signal the oldest waiting signal, or null
 * @param jobs number of running jobs shown; -1 if all has to be published anew: the constant fields are missing, or it
 *     was not published
 * @param cancelled changes with each cancellation of a job; empty if there are none
 * @param limited queues for which people set limits
 * @param failure why it was not published, and has taken no signal; null if it was
 */
@Internal
public record Published(
        @Nullable String signal,
        int jobs,
        String cancelled,
        List<String> limited,
        @Nullable JobStoreException failure) {

    static Published of(List<Object> answer) {
        String signal = Bytes.text(answer.get(0));
        String failure = Bytes.text(answer.get(4));
        return new Published(
                signal.isEmpty() ? null : signal,
                (int) Bytes.number(answer.get(1)),
                Bytes.text(answer.get(2)),
                Bytes.lines(answer.get(3)),
                failure.isEmpty() ? null : RedisErrors.ofScript(failure));
    }
}
