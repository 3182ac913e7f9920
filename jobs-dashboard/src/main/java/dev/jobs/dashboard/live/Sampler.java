package dev.jobs.dashboard.live;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jobs.Internal;
import dev.jobs.admin.Finding;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Workforce;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.DaemonThreads;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The live numbers of one Redis, and the warnings about it. Thread-safe. */
@Internal
public final class Sampler {

    /** The order of queues by their sizes. */
    public static final Comparator<Map.Entry<String, Long>> LARGEST_FIRST =
            Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey());

    private static final Comparator<ProcessInfo> FIRST_STARTED = Comparator.comparing(
                    (ProcessInfo each) -> Objects.requireNonNullElse(each.startedAt(), Instant.MAX))
            .thenComparing(ProcessInfo::identity);

    private static final Duration WARNINGS_LAST = Duration.ofSeconds(10);
    private static final int QUEUES_SHOWN = 50;
    private static final int POINTS = 150;

    /** The numbers of one moment. */
    public record Live(
            long at,
            @JsonUnwrapped Totals totals,
            @Nullable Double processedRate,
            @Nullable Double failedRate,
            int queueCount,
            List<QueueView> queues) {}

    /**
     * A queue. What most queues are not is left out of the text: each viewer gets fifty of them every two seconds.
     *
     * @param order what orders it; null if nothing does
     */
    public record QueueView(
            String name,
            long size,
            long latency,
            @JsonInclude(Include.NON_DEFAULT) boolean paused,
            @JsonInclude(Include.NON_DEFAULT) boolean broken,
            int workers,
            @JsonInclude(Include.NON_NULL) @Nullable String order) {

        public static QueueView of(QueueInfo queue, Workforce workforce) {
            QueueInfo.OrderedBy by = queue.orderedBy();
            return new QueueView(
                    queue.name(),
                    queue.size(),
                    queue.latency().toMillis(),
                    queue.paused(),
                    queue.broken(),
                    workforce.workers(queue.name()),
                    by == null ? null : by.name().toLowerCase(Locale.ROOT));
        }
    }

    private final JobsAdmin admin;
    private final Clock clock;
    private final Pulse<Live> pulse;
    private final LastFindings warnings;

    // Guarded by this.
    private @Nullable Live before;
    private final Deque<List<Object>> recent = new ArrayDeque<>();
    private Set<String> processes = Set.of();
    private @Nullable Workforce workforce;
    private long workforceAt;

    public Sampler(JobsAdmin admin, Clock clock, LiveStream stream) {
        this.admin = admin;
        this.clock = clock;
        this.pulse = new Pulse<>(this::read, clock, stream);
        this.warnings =
                new LastFindings(this::find, WARNINGS_LAST, clock, new DaemonThreads("jobs-dashboard-warnings-"));
    }

    /** Sends the numbers to the pages that show them. */
    public Pulse<Live> pulse() {
        return pulse;
    }

    /** The numbers, at most two seconds old. */
    public Live latest() {
        return pulse.latest();
    }

    /**
     * The latest points of the chart: time, processed and failed jobs per second, busy, enqueued; none older than the
     * chart's span.
     */
    public synchronized List<List<Object>> recent() {
        long now = clock.millis();
        recent.removeIf(point -> now - (Long) point.get(0) > POINTS * Pulse.INTERVAL.toMillis());
        return List.copyOf(recent);
    }

    /**
     * The largest queues in which jobs wait, as of at most four seconds ago: while the numbers are pushed, nothing is
     * read for it, and otherwise no more than sizes.
     */
    public List<String> waiting() {
        Live known = before();
        long age = known == null ? -1 : clock.millis() - known.at();
        return known != null && age >= 0 && age <= 2 * Pulse.INTERVAL.toMillis()
                ? known.queues().stream()
                        .filter(queue -> queue.size() > 0)
                        .map(QueueView::name)
                        .toList()
                : largest(admin.queues().sizes().entrySet().stream().filter(queue -> queue.getValue() > 0));
    }

    private static List<String> largest(Stream<Map.Entry<String, Long>> sizes) {
        return sizes.sorted(LARGEST_FIRST)
                .limit(QUEUES_SHOWN)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The processes of the latest numbers, as {@link #hostsAndPids} calls them. */
    public synchronized Set<String> processes() {
        return processes;
    }

    private synchronized void note(Workforce present, long now) {
        workforce = present;
        workforceAt = now;
        processes = Set.copyOf(hostsAndPids(present.processes()).values());
    }

    /**
     * What the processes of an installation are called, by their identities: {@code host:pid}, which is the same in each
     * installation that a process serves. Containers may have the same host name and pid, so those that started later
     * have a number as well.
     */
    public static Map<String, String> hostsAndPids(List<ProcessInfo> processes) {
        Map<String, Integer> numbers = new HashMap<>();
        Map<String, String> names = new HashMap<>();
        processes.stream().sorted(FIRST_STARTED).forEach(each -> {
            String name = each.hostname() + ":" + each.pid();
            int number = numbers.merge(name, 1, Integer::sum);
            names.put(each.identity(), number == 1 ? name : name + " " + number);
        });
        return names;
    }

    /**
     * Problems that cause no error, at most ten seconds old, or the last ones while new ones are awaited.
     *
     * @param patience how long the caller waits for new ones
     */
    public List<Finding> warnings(Duration patience) {
        return warnings.get(patience);
    }

    private List<Finding> find() {
        Workforce known = freshWorkforce();
        return known == null ? admin.warnings() : admin.warnings(known);
    }

    private synchronized @Nullable Workforce freshWorkforce() {
        long age = clock.millis() - workforceAt;
        return age >= 0 && age <= Pulse.INTERVAL.toMillis() ? workforce : null;
    }

    private Live read() {
        Live read = read(clock.millis());
        note(read);
        return read;
    }

    private synchronized void note(Live read) {
        before = read;
        if (recent.size() == POINTS) {
            recent.removeFirst();
        }
        if (read.processedRate() != null && read.failedRate() != null) {
            recent.addLast(List.of(
                    read.at(),
                    read.processedRate(),
                    read.failedRate(),
                    read.totals().busy(),
                    read.totals().enqueued()));
        }
    }

    private synchronized @Nullable Live before() {
        return before;
    }

    private Live read(long now) {
        Live before = before();
        Workforce workforce = admin.processes().workforce();
        note(workforce, now);
        Map<String, Long> sizes = admin.queues().sizes();
        Totals totals = Totals.of(admin.stats(sizes, workforce.processes()));
        // the next job of a queue is read only for the queues shown
        List<String> largest = largest(sizes.entrySet().stream());
        return new Live(
                now,
                totals,
                before == null
                        ? null
                        : rate(totals.processed() - before.totals().processed(), now - before.at()),
                before == null ? null : rate(totals.failed() - before.totals().failed(), now - before.at()),
                sizes.size(),
                admin.queues().named(largest).stream()
                        .map(queue -> QueueView.of(queue, workforce))
                        .toList());
    }

    /** Per second; null after a reset or a long pause, when it is meaningless. */
    private static @Nullable Double rate(long difference, long millis) {
        boolean fresh = millis > 0 && millis <= 5 * Pulse.INTERVAL.toMillis();
        return difference < 0 || !fresh ? null : Math.round(difference * 10_000.0 / millis) / 10.0;
    }
}
