package dev.jobs.shards.dashboard;

import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Workforce;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.dashboard.AllShards.Missing;
import dev.jobs.shards.dashboard.AllShards.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queues of all shards. One that is spread is one queue, with its part in each shard. */
final class ShardsQueuesApi {

    private static final int MOST_SHARD = 100;

    /**
     * What a shard has.
     *
     * @param processes what they are called in all shards, by identity
     */
    private record Held(
            Map<String, Long> sizes, Workforce workforce, Map<String, String> processes, Map<String, QueueInfo> read) {}

    /**
     * A queue in all shards.
     *
     * @param latency of the oldest of the jobs that are taken next
     * @param paused whether it is paused wherever it is
     * @param pausedIn in how many shards it is paused
     * @param workers processes that take jobs from it, each counted once
     * @param spread what decides where a job of it goes; null if it isn't spread
     */
    private record MergedQueue(
            String name,
            long size,
            long latency,
            boolean paused,
            int pausedIn,
            boolean broken,
            int workers,
            @Nullable String order,
            @Nullable String spread,
            List<Part> shards) {}

    /** @param queue null if the shard doesn't answer */
    private record Part(ShardPart shard, Sampler.@Nullable QueueView queue) {}

    /** A page of them, as that of a single shard, and the shards that are missing. */
    private record Queues(
            List<MergedQueue> items,
            long from,
            int size,
            long total,
            @Nullable Long next,
            boolean partial,
            List<Missing> missing) {}

    /** What came of pausing or resuming. */
    private record Changed(int changed, List<Missing> missing) {}

    private final AllShards shards;
    private final ShardMap map;

    ShardsQueuesApi(AllShards shards, ShardMap map) {
        this.shards = shards;
        this.map = map;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/queues", Route.look(this::list),
                "POST api/queue/pause", Route.act(this::pause),
                "POST api/queue/resume", Route.act(this::resume));
    }

    private Object list(ApiRequest request) {
        int size = (int) request.number("size", 25, 1, 100);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        String text = request.textOrNull("text", ApiRequest.MOST_NAME);
        String sort = request.word("sort", "name", "size", "latency");
        boolean turned = request.flag("turned");
        List<Outcome<Held>> held = shards.ask(shard -> held(shard, sort.equals("latency")));
        Map<String, Held> byShard = new LinkedHashMap<>();
        held.forEach(each -> {
            Held value = each.value();
            if (value != null) {
                byShard.put(each.shard().name(), value);
            }
        });
        List<String> names = sorted(byShard, sort).stream()
                .filter(name -> text == null || name.contains(text))
                .collect(Collectors.toCollection(ArrayList::new));
        if (turned) {
            Collections.reverse(names);
        }
        int begin = (int) BudgetedScan.begin(from, size, names.size());
        int end = Math.min(begin + size, names.size());
        List<String> shown = names.subList(begin, end);
        List<Outcome<Map<String, QueueInfo>>> read =
                shards.ask(shards.named(byShard.keySet()), shard -> read(shard, listed(shown, shard, byShard)));
        Map<String, Map<String, QueueInfo>> queues = new HashMap<>();
        read.forEach(each -> {
            Map<String, QueueInfo> value = each.value();
            if (value != null) {
                queues.put(each.shard().name(), value);
            }
        });
        List<Missing> missing = new ArrayList<>(AllShards.missing(held));
        missing.addAll(AllShards.missing(read));
        return new Queues(
                shown.stream().map(name -> merged(name, byShard, queues)).toList(),
                begin,
                size,
                names.size(),
                end < names.size() ? (Long) (long) end : null,
                false,
                missing);
    }

    /** @param all whether the next job of each queue is needed, and not only of those that are shown */
    private static Held held(ShardPart shard, boolean all) {
        Map<String, QueueInfo> read = all ? byName(shard.admin().queues().all()) : Map.of();
        Workforce workforce = shard.admin().processes().workforce();
        return new Held(shard.admin().queues().sizes(), workforce, Sampler.hostsAndPids(workforce.processes()), read);
    }

    private static Map<String, QueueInfo> byName(List<QueueInfo> queues) {
        return queues.stream().collect(Collectors.toMap(QueueInfo::name, each -> each, (one, other) -> one));
    }

    private static Map<String, QueueInfo> read(ShardPart shard, List<String> names) {
        return names.isEmpty() ? Map.of() : byName(shard.admin().queues().named(names));
    }

    private static List<String> sorted(Map<String, Held> byShard, String sort) {
        Map<String, Long> weights = new TreeMap<>();
        byShard.values().forEach(held -> held.sizes().forEach((name, size) -> {
            QueueInfo read = held.read().get(name);
            long latency = read == null ? 0 : read.latency().toMillis();
            weights.merge(
                    name, sort.equals("latency") ? latency : size, sort.equals("latency") ? Math::max : Long::sum);
        }));
        Comparator<Map.Entry<String, Long>> order =
                sort.equals("name") ? Map.Entry.comparingByKey() : Sampler.LARGEST_FIRST;
        return weights.entrySet().stream().sorted(order).map(Map.Entry::getKey).toList();
    }

    /** Those of some queues of which a shard has a part. */
    private List<String> listed(List<String> names, ShardPart shard, Map<String, Held> byShard) {
        return names.stream()
                .filter(name -> isIn(name, shard, byShard.get(shard.name())))
                .toList();
    }

    /** Whether a shard has jobs of a queue, or gets some. One that doesn't answer may. */
    private boolean isIn(String name, ShardPart shard, @Nullable Held held) {
        return held != null && held.sizes().containsKey(name)
                || map.isSpread(name) && map.of(name).contains(shard.name());
    }

    private MergedQueue merged(String name, Map<String, Held> byShard, Map<String, Map<String, QueueInfo>> queues) {
        List<Part> parts = new ArrayList<>();
        Set<String> workers = new HashSet<>();
        for (ShardPart shard : shards.all()) {
            Held held = byShard.get(shard.name());
            if (isIn(name, shard, held)) {
                QueueInfo queue = queues.getOrDefault(shard.name(), Map.of()).get(name);
                parts.add(new Part(
                        shard, held == null || queue == null ? null : Sampler.QueueView.of(queue, held.workforce())));
                if (held != null) {
                    held.workforce().serving(name).stream()
                            .filter(each -> !each.quiet())
                            .forEach(each -> workers.add(
                                    Objects.requireNonNull(held.processes().get(each.identity()))));
                }
            }
        }
        List<Sampler.QueueView> known =
                parts.stream().flatMap(part -> Stream.ofNullable(part.queue())).toList();
        int paused = (int) known.stream().filter(Sampler.QueueView::paused).count();
        ShardMap.Spread spread = map.spread(name);
        return new MergedQueue(
                name,
                known.stream().mapToLong(Sampler.QueueView::size).sum(),
                known.stream()
                        .filter(each -> each.size() > 0)
                        .mapToLong(Sampler.QueueView::latency)
                        .max()
                        .orElse(0),
                paused > 0 && paused == known.size(),
                paused,
                known.stream().anyMatch(Sampler.QueueView::broken),
                workers.size(),
                known.stream()
                        .flatMap(each -> Stream.ofNullable(each.order()))
                        .findFirst()
                        .orElse(null),
                spread == null ? null : spread.by().name().toLowerCase(Locale.ROOT),
                parts);
    }

    private Object pause(ApiRequest request) {
        return change(
                request, "pause queue ", shard -> name -> shard.admin().queues().pause(name));
    }

    private Object resume(ApiRequest request) {
        return change(
                request,
                "resume queue ",
                shard -> name -> shard.admin().queues().resume(name));
    }

    /** In the shards that the request names. If none of them does it, the first one says why. */
    private Object change(ApiRequest request, String verb, Function<ShardPart, Function<String, Boolean>> action) {
        String queue = request.text("queue", ApiRequest.MOST_NAME);
        List<String> wanted = request.texts("shards", MOST_SHARD);
        List<ShardPart> named = shards.named(wanted);
        if (named.size() != Set.copyOf(wanted).size()) {
            throw Problem.badParameter("shards", "names of shards, which the application has");
        }
        List<Outcome<Boolean>> outcomes = shards.act(
                named,
                shard -> Audit.changing(request.in(shard.name()), verb + queue, () -> action.apply(shard)
                        .apply(queue)),
                shard -> Audit.done(request.in(shard.name()), verb + queue, 0));
        List<Missing> missing = AllShards.missingUnlessAll(outcomes);
        long changed = outcomes.stream()
                .filter(each -> Boolean.TRUE.equals(each.value()))
                .count();
        return new Changed((int) changed, missing);
    }
}
