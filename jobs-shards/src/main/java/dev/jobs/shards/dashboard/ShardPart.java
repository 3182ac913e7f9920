package dev.jobs.shards.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.job.JobSearch;
import dev.jobs.dashboard.live.Sampler;
import java.util.function.Supplier;

/**
 * One shard as the view over all of them asks and names it. In answers it is its name and its address.
 *
 * @param at the segment of its path; empty for home
 * @param address where its Redis is, for people
 * @param addressNow with the node, if it is a cluster; may wait for that, or fail
 */
record ShardPart(
        String name,
        String at,
        @JsonIgnore String address,
        @JsonIgnore Supplier<String> addressNow,
        @JsonIgnore JobsAdmin admin,
        @JsonIgnore Sampler sampler,
        @JsonIgnore JobSearch search) {}
