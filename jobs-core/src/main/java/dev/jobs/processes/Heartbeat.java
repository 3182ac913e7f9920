package dev.jobs.processes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.chores.LeaseRenewal;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.Incarnation.Host;
import dev.jobs.processes.ProcessRegistry.Published;
import dev.jobs.processes.ProcessRegistry.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes this process and its running jobs in Sidekiq's registry, and receives the signals that people send. Nothing
 * about safety depends on it: what features hear with its answer, they hear also if it could not be published.
 */
@Internal
public final class Heartbeat {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
    private static final String DUTY = "process registry";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String VERSION = "jobs-" + version();

    private final ProcessRegistry registry;
    private final RunContext context;
    private final List<CapsuleConfig> configs;
    private final int concurrency;
    private final String tag;
    private final Host host = Host.current();
    private final Capsules capsules;
    private final ThreadDump threadDump;
    private final LeaseRenewal renewal;
    private final Consumer<Published> news;

    /**
     * The names of the known jobs, so that others can see whether a waiting job is known to any process. Empty, which
     * means unknown, if there are too many.
     */
    private final String jobs;

    private final String shapes;
    private final Consumer<String> signals;
    private final Instant startedAt;

    // Confined to its thread.
    private boolean tidied;
    private boolean notShown;
    private final PublishedWork work;

    /**
     * @param tag shown beside the process; may be empty
     * @param known the jobs of this process
     * @param news receives each answer, for what features hear with it
     * @param signals receives each signal: TSTP, TERM or TTIN
     */
    public Heartbeat(
            ProcessRegistry registry,
            RunContext context,
            List<CapsuleConfig> configs,
            String tag,
            Capsules capsules,
            LeaseRenewal renewal,
            PublishedJobs known,
            Consumer<Published> news,
            Consumer<String> signals) {
        this.registry = registry;
        this.context = context;
        this.configs = configs;
        this.concurrency = configs.stream().mapToInt(CapsuleConfig::concurrency).sum();
        this.tag = tag;
        this.capsules = capsules;
        this.threadDump = new ThreadDump(capsules, context.environment().clock());
        this.renewal = renewal;
        this.news = news;
        this.shapes = known.text();
        this.jobs = shapes.isEmpty() ? "" : String.join("\n", known.byName().keySet());
        this.signals = signals;
        this.work = new PublishedWork(this::entry, registry.bounds());
        this.startedAt = context.environment().clock().instant();
    }

    /** Publishes the process once. Returns how long until the next time. */
    public Duration runOnce() {
        Incarnation incarnation = context.lease().current();
        if (!incarnation.isRegistered()) {
            return Duration.ofMillis(200);
        }
        try {
            if (!tidied) {
                tidied = true;
                registry.tidy(); // as each process of Sidekiq does at its start
            }
            Work changes = work.changes(incarnation.id(), running());
            Published published = registry.publish(incarnation.id(), fields(incarnation.id(), changes.anew()), changes);
            work.published(published.jobs());
            JobStoreException failure = published.failure();
            if (failure == null) {
                shown();
            }
            String signal = published.signal();
            String thread = signal == null ? null : ProcessRegistry.asksForStack(signal);
            if (thread != null) {
                registry.publishStack(
                        incarnation.id(), thread, threadDump.ofJob(thread).bytes());
                return Duration.ZERO;
            }
            if (signal != null) {
                log.info("{} received the signal {}", incarnation.id(), signal);
                signals.accept(signal);
                return Duration.ZERO; // there may be another signal
            }
            news.accept(published);
            return failure == null ? INTERVAL : failed(failure);
        } catch (JobStoreException e) {
            return failed(e);
        }
    }

    private Duration failed(JobStoreException e) {
        work.unknown();
        switch (e.kind()) {
            case WRONG_TYPE, DENIED, OTHER -> notShown(e);
            default -> context.outage().failed(DUTY, e);
        }
        return PAUSE_AFTER_FAILURE;
    }

    private void shown() {
        context.outage().worked(DUTY);
        if (notShown) {
            notShown = false;
            log.info("This process is shown again");
        }
    }

    /** Not reported as an outage: only what people see is affected. */
    private void notShown(JobStoreException e) {
        context.outage().worked(DUTY);
        if (!notShown) {
            notShown = true;
            log.warn("This process can't be shown and receives no signals: {}. Jobs are not affected", e.getMessage());
            log.debug("The failure of the process registry", e);
        }
    }

    private Map<String, String> fields(String identity, boolean all) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (all) {
            fields.put("info", new String(info(identity).bytes(), UTF_8));
            fields.put("concurrency", Integer.toString(concurrency));
            fields.put(ProcessRegistry.JOBS, jobs);
            fields.put(ProcessRegistry.SHAPES, shapes);
        }
        fields.put("busy", Integer.toString(capsules.busy()));
        fields.put("beat", seconds(context.environment().clock().instant()));
        fields.put("rtt_us", Long.toString(renewal.roundTripMicros()));
        fields.put("rss", Long.toString(residentKiB()));
        fields.put("quiet", Boolean.toString(context.quiet().get()));
        return fields;
    }

    private Payload info(String identity) {
        Map<String, Object> byCapsule = new LinkedHashMap<>();
        Set<String> queues = new LinkedHashSet<>();
        List<Object> weights = new ArrayList<>();
        for (CapsuleConfig capsule : configs) {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("concurrency", capsule.concurrency());
            shown.put("mode", capsule.mode().name().toLowerCase(java.util.Locale.ROOT));
            shown.put("weights", capsule.weights());
            byCapsule.put(capsule.name(), shown);
            queues.addAll(capsule.queues());
            weights.add(capsule.weights());
        }
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("hostname", host.name());
        info.put("started_at", startedAt.toEpochMilli() / 1000.0);
        info.put("pid", host.pid());
        info.put("tag", tag);
        info.put("capsules", byCapsule);
        info.put("queues", List.copyOf(queues));
        info.put("weights", weights);
        info.put("labels", List.of());
        info.put("identity", identity);
        info.put("version", VERSION);
        info.put("embedded", false);
        info.put("concurrency", concurrency);
        return Payload.of(info);
    }

    /** The running jobs by Sidekiq's names of their threads. */
    private Map<String, ClaimedJob> running() {
        Map<String, ClaimedJob> running = new LinkedHashMap<>();
        capsules.jobs().forEach(job -> {
            Thread thread = job.runner();
            if (thread != null && job.isOurs() && job.isParsed()) {
                running.put(ThreadDump.tid(thread), job);
            }
        });
        return running;
    }

    private byte[] entry(ClaimedJob job) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("queue", job.queue());
        entry.put("payload", new String(PayloadPreview.of(job.stored()), UTF_8));
        entry.put("run_at", runAt(job));
        return Payload.of(entry).bytes();
    }

    private long runAt(ClaimedJob job) {
        long elapsed = context.nanos() - job.startedNanos();
        return context.environment().clock().instant().minusNanos(elapsed).getEpochSecond();
    }

    private static String seconds(Instant time) {
        return String.format(java.util.Locale.ROOT, "%d.%06d", time.getEpochSecond(), time.getNano() / 1_000);
    }

    private static long residentKiB() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        } catch (IOException | NumberFormatException e) {
            // not Linux: the memory of the JVM is the best substitute
        }
        return Runtime.getRuntime().totalMemory() / 1_024;
    }

    private static String version() {
        String version = Heartbeat.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
