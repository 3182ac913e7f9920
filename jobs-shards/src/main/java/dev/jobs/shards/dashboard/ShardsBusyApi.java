package dev.jobs.shards.dashboard;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.Page;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.ProcessesAdmin;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.shards.dashboard.AllShards.Missing;
import dev.jobs.shards.dashboard.AllShards.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The processes that serve shards. One that serves several is one process, with its part in each shard. */
final class ShardsBusyApi {

    private static final int SIZE = 25;
    private static final int MOST_TEXT = 200;
    private static final int MOST_IDENTITY = 300;
    private static final int MOST_SHARD = 100;

    /**
     * A process.
     *
     * @param concurrency the most that it publishes in a shard, since all shards share its threads
     * @param busy the jobs that it runs, of all shards
     * @param quiet whether it takes no more jobs from any shard
     * @param beat the older one, if its signs of life in the shards differ
     */
    private record MergedProcess(
            String host,
            long pid,
            String tag,
            @Nullable Long startedAt,
            @Nullable Long beat,
            long memory,
            int concurrency,
            int busy,
            boolean quiet,
            boolean embedded,
            String version,
            List<String> queues,
            List<Part> shards) {}

    /** What it is in one shard. */
    private record Part(ShardPart shard, String identity, int busy, boolean quiet, boolean leader) {}

    private record Serving(ShardPart shard, ProcessInfo process) {}

    private record Busy(ListView processes, List<Missing> missing) {}

    private record Told(int told, List<Missing> missing) {}

    private final AllShards shards;

    ShardsBusyApi(AllShards shards) {
        this.shards = shards;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/busy", Route.look(this::busy),
                "POST api/process/quiet", Route.act(request -> tell(request, "quiet", ProcessesAdmin::quiet)),
                "POST api/process/stop", Route.act(request -> tell(request, "stop", ProcessesAdmin::stop)));
    }

    private Object busy(ApiRequest request) {
        String given = request.textOrNull("text", MOST_TEXT);
        String text = given == null ? "" : given.toLowerCase(Locale.ROOT);
        long from = request.number("processes", 0, 0, Integer.MAX_VALUE);
        List<Outcome<List<ProcessInfo>>> outcomes =
                shards.ask(shard -> shard.admin().processes().all());
        Map<String, List<Serving>> byHostAndPid = new TreeMap<>();
        for (Outcome<List<ProcessInfo>> each : outcomes) {
            List<ProcessInfo> processes = Objects.requireNonNullElse(each.value(), List.of());
            Map<String, String> names = Sampler.hostsAndPids(processes);
            processes.forEach(process -> byHostAndPid
                    .computeIfAbsent(Objects.requireNonNull(names.get(process.identity())), name -> new ArrayList<>())
                    .add(new Serving(each.shard(), process)));
        }
        List<MergedProcess> all = byHostAndPid.values().stream()
                .map(ShardsBusyApi::merged)
                .filter(each -> text.isEmpty() || contains(each, text))
                .sorted(Comparator.comparing(MergedProcess::host).thenComparing(MergedProcess::pid))
                .toList();
        int begin = (int) BudgetedScan.begin(from, SIZE, all.size());
        int end = Math.min(begin + SIZE, all.size());
        Page<MergedProcess> page =
                new Page<>(all.subList(begin, end), begin, end < all.size() ? end : -1, all.size(), false);
        return new Busy(ListView.of(page, SIZE, each -> each), AllShards.missing(outcomes));
    }

    private static boolean contains(MergedProcess process, String text) {
        return (process.host() + ":" + process.pid() + " " + process.tag() + " " + process.version() + " "
                        + String.join(" ", process.queues()))
                .toLowerCase(Locale.ROOT)
                .contains(text);
    }

    private static MergedProcess merged(List<Serving> serving) {
        List<ProcessInfo> all = serving.stream().map(Serving::process).toList();
        ProcessInfo first = all.get(0);
        return new MergedProcess(
                first.hostname(),
                first.pid(),
                first.tag(),
                oldest(all, each -> Shown.millis(each.startedAt())),
                oldest(all, each -> Shown.millis(each.beat())),
                all.stream().mapToLong(ProcessInfo::memory).max().orElse(0),
                all.stream().mapToInt(ProcessInfo::concurrency).max().orElse(0),
                all.stream().mapToInt(ProcessInfo::busy).sum(),
                all.stream().allMatch(ProcessInfo::quiet),
                all.stream().anyMatch(ProcessInfo::embedded),
                first.version(),
                all.stream().flatMap(each -> each.queues().stream()).distinct().toList(),
                serving.stream()
                        .map(each -> new Part(
                                each.shard(),
                                each.process().identity(),
                                each.process().busy(),
                                each.process().quiet(),
                                each.process().leader()))
                        .toList());
    }

    private static @Nullable Long oldest(List<ProcessInfo> all, Function<ProcessInfo, @Nullable Long> time) {
        return all.stream()
                .map(time)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /**
     * Tells a process in each shard that the request names, where it has the identity at the same index of a second
     * list. If it can't be told anywhere, the first shard says why.
     */
    private Object tell(ApiRequest request, String verb, BiPredicate<ProcessesAdmin, String> signal) {
        List<String> names = request.texts("shards", MOST_SHARD);
        List<String> identities = request.texts("identities", MOST_IDENTITY);
        Map<String, List<String>> byShard = new HashMap<>();
        for (int i = 0; i < names.size() && i < identities.size(); i++) {
            byShard.computeIfAbsent(names.get(i), name -> new ArrayList<>()).add(identities.get(i));
        }
        List<ShardPart> named = shards.named(byShard.keySet());
        if (named.size() != byShard.size() || names.size() != identities.size()) {
            throw Problem.badParameter("shards", "names of shards, which the application has, one for each identity");
        }
        List<Outcome<Integer>> outcomes = shards.act(
                named,
                shard -> {
                    int told = 0;
                    for (String identity : byShard.getOrDefault(shard.name(), List.of())) {
                        told += tell(request.in(shard.name()), verb, shard, identity, signal) ? 1 : 0;
                    }
                    return told;
                },
                shard -> byShard.getOrDefault(shard.name(), List.of())
                        .forEach(identity -> Audit.done(request.in(shard.name()), verb + " process " + identity, 0)));
        List<Missing> missing = AllShards.missingUnlessAll(outcomes);
        int told = outcomes.stream()
                .mapToInt(each -> Objects.requireNonNullElse(each.value(), 0))
                .sum();
        return new Told(told, missing);
    }

    private static boolean tell(
            ApiRequest request,
            String verb,
            ShardPart shard,
            String identity,
            BiPredicate<ProcessesAdmin, String> signal) {
        try {
            return Audit.changing(
                    request,
                    verb + " process " + identity,
                    () -> signal.test(shard.admin().processes(), identity));
        } catch (JobStoreException e) {
            throw e;
        } catch (JobsException e) {
            throw new Problem(409, "embedded", String.valueOf(e.getMessage()));
        }
    }
}
