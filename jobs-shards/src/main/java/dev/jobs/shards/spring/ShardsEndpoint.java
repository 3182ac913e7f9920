package dev.jobs.shards.spring;

import dev.jobs.spring.autoconfigure.endpoint.InstallationOperations;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The endpoint {@code jobs} of an application that may have several shards: what the other one shows and changes, in
 * the shard that the parameter {@code shard} names. Without it, an operation is about all shards that have what it is
 * about. It also moves queues between shards.
 */
@WebEndpoint(id = "jobs", defaultAccess = Access.READ_ONLY)
final class ShardsEndpoint {

    private final EndpointShards shards;

    ShardsEndpoint(EndpointShards shards) {
        this.shards = shards;
    }

    /** {@code GET /actuator/jobs} */
    @ReadOperation
    WebEndpointResponse<Object> overview(@Nullable String shard) {
        return shards.isOne(shard) ? shards.in(shard, InstallationOperations::overview) : shards.overview();
    }

    /** {@code GET /actuator/jobs/SECTION} */
    @ReadOperation
    WebEndpointResponse<Object> list(
            @Selector String section, @Nullable Boolean unfinished, @Nullable Long from, @Nullable String shard) {
        return shards.isOne(shard) || shards.areAlike(section)
                ? shards.in(shard, each -> each.list(section, unfinished, from))
                : shards.inEach(each -> each.list(section, unfinished, from));
    }

    /** {@code GET /actuator/jobs/SECTION/NAME} */
    @ReadOperation
    WebEndpointResponse<Object> one(@Selector String section, @Selector String name, @Nullable String shard) {
        return shards.isOne(shard)
                ? shards.in(shard, each -> each.one(section, name))
                : shards.where(section, name, each -> each.one(section, name));
    }

    /**
     * {@code POST /actuator/jobs/SECTION/NAME}
     *
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
