package dev.jobs.engine;

import dev.jobs.engine.SettlementQueue.Pending;
import dev.jobs.redis.Claims;
import dev.jobs.redis.Claims.Reply;
import dev.jobs.redis.Settlement;
import java.util.List;

/**
 * One call of a fetcher to Redis, to be repeated until it is answered.
 *
 * @param line the fetcher's number in its process
 * @param number the call's own
 * @param want jobs at most
 * @param suspect whether one of them may be a suspect
 * @param from the queues, in the order in which to look at them
 * @param batch what to settle
 * @param ahead how many jobs may be taken beyond the free places
 * @param started when it was first sent, on the engine's own clock
 */
record Exchange(
        Incarnation incarnation,
        int line,
        long number,
        int want,
        boolean suspect,
        List<String> from,
        List<Pending> batch,
        int ahead,
        long started) {

    Claims.Request request() {
        List<Settlement> settlements = batch.stream().map(Pending::settlement).toList();
        return new Claims.Request(incarnation.id(), line, number, want, suspect ? 1 : 0, from, settlements);
    }

    /** The same call, wanting nothing: brings what it claimed, and if it wasn't made, it claims nothing when it comes. */
    Exchange withdrawn() {
        return new Exchange(incarnation, line, number, 0, false, List.of(), batch, 0, started);
    }

    /** Whether Redis gave all that was asked for, so that there may be more. */
    boolean isFilledBy(Reply reply) {
        return reply.claimed().size() == want;
    }
}
