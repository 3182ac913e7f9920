package dev.jobs.shards.dashboard;

import dev.jobs.dashboard.web.Route;
import java.util.List;
import java.util.Map;

/** The overview of all shards: their numbers, and the findings about each. */
final class ShardsOverviewApi {

    private record Overview(ShardsSampler.Live live, List<ShardsSampler.ShardFinding> findings) {}

    private final ShardsSampler sampler;

    ShardsOverviewApi(ShardsSampler sampler) {
        this.sampler = sampler;
    }

    Map<String, Route> routes() {
        return Map.of("GET api/overview", Route.look(request -> new Overview(sampler.latest(), sampler.findings())));
    }
}
