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
 */
@WebEndpoint(id = "jobs", defaultAccess = Access.READ_ONLY)
final class JobsEndpoint {

    private final InstallationOperations operations;

    JobsEndpoint(InstallationOperations operations) {
        this.operations = operations;
    }

    /** {@code GET /actuator/jobs} */
    @ReadOperation
    WebEndpointResponse<Object> overview() {
        return operations.overview();
    }

    /**
     * {@code GET /actuator/jobs/queues}, {@code …/processes}, {@code …/recurring}, {@code …/batches}, {@code …/limits}
     * and {@code …/locks}
     *
     * @param unfinished whether to list only batches that are not over
     * @param from the first batch to list; 0 if it is not given
     */
    @ReadOperation
    WebEndpointResponse<Object> list(@Selector String section, @Nullable Boolean unfinished, @Nullable Long from) {
        return operations.list(section, unfinished, from);
    }

    /**
     * {@code GET /actuator/jobs/queues/NAME}, {@code …/processes/IDENTITY}, {@code …/batches/ID} and
     * {@code …/limits/NAME}
     */
    @ReadOperation
    WebEndpointResponse<Object> one(@Selector String section, @Selector String name) {
        return operations.one(section, name);
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
     */
    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector String section,
            @Selector String name,
            String action,
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable String per,
            @Nullable Integer burst) {
        return operations.change(section, name, action, concurrency, rate, per, burst);
    }
}
