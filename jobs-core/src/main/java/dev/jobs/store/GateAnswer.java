package dev.jobs.store;

import dev.jobs.redis.Bytes;
import dev.jobs.store.JobClaims.Claimed;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what only gates write into the answer of {@code claim.lua}. */
final class GateAnswer {

    /** Where the list of shut queues stands in the answer. */
    private static final int SHUT = 8;

    private GateAnswer() {}

    /**
     * The queues that a gate has shut; null if the answer doesn't say.
     *
     * @param queues those that the script knows by their numbers
     */
    static ClaimGate.@Nullable Shut shut(List<Object> answer, List<String> queues) {
        if (answer.size() <= SHUT) {
            return null;
        }
        List<String> full = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(SHUT))) {
            int number = (int) Bytes.number(index);
            (number > 0 ? full : broken).add(queues.get(Math.abs(number) - 1));
        }
        return new ClaimGate.Shut(full, broken);
    }

    /** The job with what a settled one left to it: a permit, and perhaps a start behind a line break. */
    static Claimed permitted(Claimed job, String left) {
        int end = left.indexOf('\n', left.indexOf('\n') + 1);
        String permit = end < 0 ? left : left.substring(0, end);
        String start = end < 0 ? null : left.substring(end + 1);
        return new Claimed(job.token(), job.queue(), job.payload(), job.recoveries(), permit, start);
    }
}
