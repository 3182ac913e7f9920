package dev.jobs.shards.dashboard;

import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.dashboard.batches.BatchViews;
import dev.jobs.dashboard.job.JobSearch;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.JobPlace;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.shards.dashboard.AllShards.Missing;
import dev.jobs.shards.dashboard.AllShards.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The jobs of the sets of all shards, merged by their times, and jobs by their ids wherever they are. */
final class ShardsJobsApi {

    private static final int MOST_ID = 200;
    private static final int MOST_FROM = 2_000;
    private static final Pattern FROM = Pattern.compile("\\d{1,9}(,\\d{1,9})*");

    /** A job of a shard. */
    private record ShardJob(ShardPart shard, Views.JobView job) {}

    /** How many jobs the set of a shard has. */
    private record Count(ShardPart shard, long total) {}

    /**
     * A part of the merged list.
     *
     * @param next where the next part begins: how far the list of each shard was read, joined by commas
     */
    private record Jobs(
            List<ShardJob> items,
            long total,
            int size,
            @Nullable String next,
            List<Count> counts,
            List<Missing> missing) {}

    /** The head of what is left of the page of a shard. */
    private record Head(int shard, List<ListedJob> page, int index) {

        ListedJob job() {
            return page.get(index);
        }
    }

    private record ShardHit(ShardPart shard, Finder.Hit hit) {}

    private record ShardBatch(ShardPart shard, BatchViews.Membership batch) {}

    /** @param told the shard where a job that is nowhere has left progress or log lines */
    private record Found(
            List<ShardHit> found,
            boolean partial,
            @Nullable ShardBatch batch,
            @Nullable ShardPart told,
            List<Missing> missing) {}

    private final AllShards shards;
    private final Views views;

    ShardsJobsApi(AllShards shards, Views views) {
        this.shards = shards;
        this.views = views;
    }

    Map<String, Route> routes() {
        return Map.of("GET api/jobs", Route.look(this::list), "GET api/find", Route.look(this::find));
    }

    /**
     * Reads as many jobs of each shard as the page has, from where the page before ended, and merges them: however
     * long the lists are and however far the page is, no more is read.
     */
    private Object list(ApiRequest request) {
        JobSet set = JobPlace.set(request, "scheduled", "retries", "dead");
        int size = (int) request.number("size", 25, 1, 100);
        List<Long> from = from(request);
        Map<String, Integer> positions = new HashMap<>();
        shards.all().forEach(shard -> positions.put(shard.name(), positions.size()));
        List<Outcome<Page<ListedJob>>> outcomes = shards.ask(shard -> shard.admin()
                .sets()
                .jobs(
                        set,
                        job -> true,
                        from.get(Objects.requireNonNull(positions.get(shard.name()))),
                        size,
                        ScanBudget.standard()));
        List<Long> next = new ArrayList<>(from);
        List<ShardJob> merged = new ArrayList<>();
        PriorityQueue<Head> heads = new PriorityQueue<>(order(set));
        for (int i = 0; i < outcomes.size(); i++) {
            Page<ListedJob> page = outcomes.get(i).value();
            if (page != null && !page.items().isEmpty() && page.from() == from.get(i)) {
                heads.add(new Head(i, page.items(), 0));
            }
        }
        while (merged.size() < size && !heads.isEmpty()) {
            Head head = heads.remove();
            merged.add(new ShardJob(shards.all().get(head.shard()), views.job(head.job())));
            next.set(head.shard(), head.job().index() + 1);
            if (head.index() + 1 < head.page().size()) {
                heads.add(new Head(head.shard(), head.page(), head.index() + 1));
            }
        }
        List<Count> counts = counts(outcomes);
        return new Jobs(
                merged,
                counts.stream().mapToLong(Count::total).sum(),
                size,
                isMore(outcomes, next) ? next.stream().map(String::valueOf).collect(Collectors.joining(",")) : null,
                counts,
                AllShards.missing(outcomes));
    }

    private List<Long> from(ApiRequest request) {
        String given = request.textOrNull("from", MOST_FROM);
        if (given == null) {
            return shards.all().stream().map(shard -> 0L).toList();
        }
        List<Long> from = FROM.matcher(given).matches()
                ? List.of(given.split(",")).stream().map(Long::valueOf).toList()
                : List.of();
        if (from.size() != shards.all().size()) {
            throw Problem.badParameter("from", "'next' of the page before");
        }
        return from;
    }

    /** As in the list of a single shard: dead jobs newest first, the others soonest first. */
    private static Comparator<Head> order(JobSet set) {
        Comparator<Head> byTime =
                Comparator.comparingDouble(head -> head.job().job().score());
        return (set == JobSet.DEAD ? byTime.reversed() : byTime).thenComparing(Head::shard);
    }

    private static List<Count> counts(List<Outcome<Page<ListedJob>>> outcomes) {
        List<Count> counts = new ArrayList<>();
        for (Outcome<Page<ListedJob>> each : outcomes) {
            Page<ListedJob> page = each.value();
            if (page != null) {
                counts.add(new Count(each.shard(), page.total()));
            }
        }
        return counts;
    }

    private static boolean isMore(List<Outcome<Page<ListedJob>>> outcomes, List<Long> next) {
        for (int i = 0; i < outcomes.size(); i++) {
            Page<ListedJob> page = outcomes.get(i).value();
            if (page != null && page.total() > next.get(i)) {
                return true;
            }
        }
        return false;
    }

    private Object find(ApiRequest request) {
        String jid = request.text("jid", MOST_ID);
        List<Outcome<JobSearch.Found>> outcomes =
                shards.ask(shard -> shard.search().find(jid));
        List<ShardHit> found = new ArrayList<>();
        boolean partial = false;
        ShardBatch batch = null;
        ShardPart told = null;
        for (Outcome<JobSearch.Found> each : outcomes) {
            JobSearch.Found value = each.value();
            partial |= value == null || value.partial();
            if (value != null) {
                value.found().forEach(hit -> found.add(new ShardHit(each.shard(), hit)));
                BatchViews.Membership member = value.batch();
                batch = batch == null && member != null ? new ShardBatch(each.shard(), member) : batch;
                told = told == null && value.told() ? each.shard() : told;
            }
        }
        return new Found(found, partial, batch, told, AllShards.missing(outcomes));
    }
}
