package dev.jobs.spring.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows queues, processes, recurring jobs, batches, limits and locks; pauses and resumes queues, quiets processes,
 * cancels and retries batches, sets and resets limits. Never shows a job.
 *
 * <p>Changes nothing unless {@code management.endpoint.jobs.access=unrestricted} allows it.
 *
 * <p>Where there are several shards, the parameter {@code shard} names one of them. Without it, an operation is about
 * all shards that have what it is about.
 */
@WebEndpoint(id = "jobs", defaultAccess = Access.READ_ONLY)
final class JobsEndpoint {

    private final EndpointShards shards;

    JobsEndpoint(EndpointShards shards) {
        this.shards = shards;
    }

    /** {@code GET /actuator/jobs} */
    @ReadOperation
    WebEndpointResponse<Object> overview(@Nullable String shard) {
        return shards.isOne(shard) ? shards.in(shard, ShardOperations::overview) : shards.overview();
    }

    /**
     * {@code GET /actuator/jobs/queues}, {@code …/processes}, {@code …/recurring}, {@code …/batches}, {@code …/limits}
     * and {@code …/locks}
     *
     * @param unfinished whether to list only batches that are not over
     * @param from the first batch to list; 0 if it is not given
     */
    @ReadOperation
    WebEndpointResponse<Object> list(
            @Selector String section, @Nullable Boolean unfinished, @Nullable Long from, @Nullable String shard) {
        return shards.isOne(shard)
                ? shards.in(shard, each -> each.list(section, unfinished, from))
                : shards.inEach(each -> each.list(section, unfinished, from));
    }

    /**
     * {@code GET /actuator/jobs/queues/NAME}, {@code …/processes/IDENTITY}, {@code …/batches/ID} and
     * {@code …/limits/NAME}
     */
    @ReadOperation
    WebEndpointResponse<Object> one(@Selector String section, @Selector String name, @Nullable String shard) {
        return shards.isOne(shard)
                ? shards.in(shard, each -> each.one(section, name))
                : shards.where(section, name, each -> each.one(section, name));
    }

    /**
     * {@code POST /actuator/jobs/queues/NAME} with the action pause or resume, {@code …/processes/IDENTITY} with the
     * action quiet, {@code …/batches/ID} with the action cancel, or retry for its dead jobs, {@code …/limits/NAME}
     * with the action set or reset
     *
     * @param concurrency for the action set: how many jobs with the same key may run at once
     * @param rate for the action set: how many jobs with the same key may start in the time {@code per}
     * @param per that time, such as {@code 20s}
     * @param burst how many of them may start at once after a quiet time; as many as the rate if it is not given
     * @param dead for the actions of a queue that is being moved, transfer, transfer-status, transfer-finish and
     *     transfer-abandon: whether its dead jobs go as well
     */
    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector String section,
            @Selector String name,
            String action,
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable String per,
            @Nullable Integer burst,
            @Nullable Boolean dead,
            @Nullable String shard) {
        if (shards.isTransfer(section, action)) {
            return shards.transfer(name, action, dead != null && dead, shard);
        }
        return shards.isOne(shard)
                ? shards.in(shard, each -> each.change(section, name, action, concurrency, rate, per, burst))
                : shards.where(
                        section, name, each -> each.change(section, name, action, concurrency, rate, per, burst));
    }
}
