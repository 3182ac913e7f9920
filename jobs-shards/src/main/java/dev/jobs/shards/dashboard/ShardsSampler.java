package dev.jobs.shards.dashboard;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jobs.admin.Books;
import dev.jobs.admin.Finding;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Pulse;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.live.Totals;
import dev.jobs.dashboard.web.FindingView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.shards.dashboard.AllShards.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The live numbers of all shards, and their sums. Of a shard that doesn't answer, the last ones stay, with their age.
 * Thread-safe.
 */
final class ShardsSampler {

    /** How long the numbers wait for warnings: much less than a shard may take, or it would seem to be silent. */
    private static final Duration PATIENCE = Duration.ofMillis(300);

    /**
     * The numbers of all shards together, as those of one, and of each.
     *
     * @param present how many shards answer
     * @param unread how many shards have not answered since the start: the sums are without them, so there is more
     * @param error jobs that the books of no shard account for; null if none has books
     */
    record Live(
            long at,
            @JsonUnwrapped Totals totals,
            @Nullable Double processedRate,
            @Nullable Double failedRate,
            long latency,
            @Nullable Long error,
            int present,
            int unread,
            List<Row> shards) {}

    /**
     * A shard.
     *
     * @param trouble why the numbers are not present ones; null if they are
     * @param numbers the last ones that are known; null if none are
     */
    record Row(
            String name,
            String at,
            String address,
            @JsonInclude(Include.NON_NULL) @Nullable Trouble trouble,
            @Nullable Numbers numbers) {}

    /** Why a shard doesn't answer. */
    record Trouble(String code, String message) {}

    /**
     * The numbers of one shard at one moment.
     *
     * @param latency how long the oldest of the jobs that are taken next has waited, of the fifty largest queues
     * @param errors findings that are errors
     * @param warnings findings that are warnings
     * @param notes other findings
     * @param error jobs that its books don't account for; null if it has none
     */
    record Numbers(
            long at,
            @JsonUnwrapped Totals totals,
            @Nullable Double processedRate,
            @Nullable Double failedRate,
            long latency,
            int errors,
            int warnings,
            int notes,
            @Nullable Long error) {}

    /** All that was read of a shard. */
    private record Known(String address, Numbers numbers, Set<String> processes, List<FindingView> findings) {}

    /** A finding about a shard. */
    record ShardFinding(ShardPart shard, FindingView finding) {}

    private final AllShards shards;
    private final Clock clock;
    private final Pulse<Live> pulse;

    // Guarded by this.
    private final Map<String, Known> known = new LinkedHashMap<>();

    ShardsSampler(AllShards shards, Clock clock, LiveStream stream) {
        this.shards = shards;
        this.clock = clock;
        this.pulse = new Pulse<>(this::read, clock, stream);
    }

    /** Sends the numbers to the pages that show them. */
    Pulse<Live> pulse() {
        return pulse;
    }

    /** The numbers, at most two seconds old where a shard answers. */
    Live latest() {
        return pulse.latest();
    }

    /** The findings of all shards, as they were found last, those of home first. */
    synchronized List<ShardFinding> findings() {
        List<ShardFinding> all = new ArrayList<>();
        for (ShardPart shard : shards.all()) {
            Known each = known.get(shard.name());
            if (each != null) {
                each.findings().forEach(finding -> all.add(new ShardFinding(shard, finding)));
            }
        }
        return all;
    }

    private Live read() {
        return note(shards.ask(ShardsSampler::read));
    }

    private static Known read(ShardPart shard) {
        Sampler.Live live = shard.sampler().latest();
        List<Finding> findings = shard.sampler().warnings(PATIENCE);
        Books books = shard.admin().books();
        Numbers numbers = new Numbers(
                live.at(),
                live.totals(),
                live.processedRate(),
                live.failedRate(),
                live.queues().stream()
                        .filter(queue -> queue.size() > 0)
                        .mapToLong(Sampler.QueueView::latency)
                        .max()
                        .orElse(0),
                count(findings, Finding.Level.ERROR),
                count(findings, Finding.Level.WARNING),
                count(findings, Finding.Level.INFO),
                books == null ? null : books.conservationError());
        return new Known(
                shard.addressNow().get(), // may wait for the shard, as the others do
                numbers,
                shard.sampler().processes(),
                findings.stream().map(FindingView::of).toList());
    }

    private static int count(List<Finding> findings, Finding.Level level) {
        return (int) findings.stream().filter(each -> each.level() == level).count();
    }

    private synchronized Live note(List<Outcome<Known>> outcomes) {
        List<Row> rows = new ArrayList<>();
        Set<String> processes = new HashSet<>();
        int present = 0;
        for (Outcome<Known> each : outcomes) {
            Known fresh = each.value();
            if (fresh != null) {
                known.put(each.shard().name(), fresh);
                present++;
            }
            Known last = known.get(each.shard().name());
            if (last != null) {
                processes.addAll(last.processes());
            }
            Problem problem = each.problem();
            rows.add(new Row(
                    each.shard().name(),
                    each.shard().at(),
                    last == null ? each.shard().address() : last.address(),
                    problem == null ? null : new Trouble(problem.code(), problem.text()),
                    last == null ? null : last.numbers()));
        }
        return live(rows, processes.size(), present);
    }

    /** Of shards that don't answer, the last numbers count, but not the rates. */
    private Live live(List<Row> rows, int processes, int present) {
        List<Numbers> all = rows.stream()
                .map(Row::numbers)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        List<Numbers> answering = rows.stream()
                .filter(row -> row.trouble() == null)
                .map(Row::numbers)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        return new Live(
                clock.millis(),
                all.stream().map(Numbers::totals).reduce(Totals.NONE, (sum, totals) -> sum.plus(totals, processes)),
                rate(answering, Numbers::processedRate),
                rate(answering, Numbers::failedRate),
                all.stream().mapToLong(Numbers::latency).max().orElse(0),
                error(all),
                present,
                rows.size() - all.size(),
                rows);
    }

    /** Null at first, as the rate of a single shard is. */
    private static @Nullable Double rate(List<Numbers> all, Function<Numbers, @Nullable Double> rate) {
        ToDoubleFunction<Numbers> known = each -> Objects.requireNonNullElse(rate.apply(each), 0.0);
        boolean any = all.stream().anyMatch(each -> rate.apply(each) != null);
        return any ? (Double) (Math.round(all.stream().mapToDouble(known).sum() * 10) / 10.0) : null;
    }

    /** Errors in opposite directions must not make up for each other. */
    private static @Nullable Long error(List<Numbers> all) {
        List<Long> errors = all.stream()
                .map(Numbers::error)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        return errors.isEmpty()
                ? null
                : (Long) errors.stream().mapToLong(Math::abs).sum();
    }
}
