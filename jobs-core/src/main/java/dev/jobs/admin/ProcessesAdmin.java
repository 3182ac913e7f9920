package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobsException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.codec.JsonObject;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.ProcessRegistry.Shown;
import dev.jobs.processes.ProcessRegistry.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The processes: shows them and the jobs they run, and signals them. Understands what Ruby and Java processes of all
 * versions publish about themselves. {@link JobsAdmin#processes} returns it. Thread-safe; throws what {@link JobsAdmin}
 * throws.
 */
public final class ProcessesAdmin {

    private static final int KIB = 1_024;
    private static final int MOST_WORK = 10_000;
    private static final long MOST_MICROS = Duration.ofDays(1).toSeconds() * 1_000_000;

    private final ProcessRegistry registry;

    @Internal
    public ProcessesAdmin(ProcessRegistry registry) {
        this.registry = registry;
    }

    /**
     * The processes that published a heartbeat within the last minute, by identity. Forgets the others, if Redis
     * accepts writes.
     */
    public List<ProcessInfo> all() {
        String leader = registry.leader();
        return registry.list().stream()
                .map(shown -> process(shown, leader))
                .sorted(Comparator.comparing(ProcessInfo::identity))
                .toList();
    }

    /**
     * The jobs that these processes run, as last published, longest first.
     *
     * @param processes as {@link #all} has just returned them: a page that shows both then shows no job without its
     *     process
     * @param most reads no more jobs than this, in no particular order: 1 to 10,000
     */
    public List<WorkInfo> work(List<ProcessInfo> processes, int most) {
        return work(processes, most, entry -> true);
    }

    /** The same, of those whose published entry matches: the others are not parsed. */
    @Internal
    public List<WorkInfo> work(List<ProcessInfo> processes, int most, Predicate<byte[]> wanted) {
        if (most < 1 || most > MOST_WORK) {
            throw new IllegalArgumentException("'most' must be 1 to " + MOST_WORK + " but was " + most);
        }
        List<WorkInfo> work = new ArrayList<>();
        registry.work(processes.stream().map(ProcessInfo::identity).toList(), most)
                .forEach((identity, jobs) -> jobs.forEach((thread, entry) -> {
                    if (wanted.test(entry)) {
                        work.add(work(identity, thread, entry));
                    }
                }));
        work.sort(Comparator.comparing(WorkInfo::runAt, Comparator.nullsLast(Comparator.naturalOrder())));
        return List.copyOf(work);
    }

    /**
     * Makes a process take no more jobs, within seconds; this can't be reversed.
     *
     * @return whether there is such a process
     * @throws JobsException if it is embedded in an application and ignores signals
     */
    public boolean quiet(String identity) {
        return signal(identity, Signal.TSTP);
    }

    /** Makes a process stop; otherwise like {@link #quiet}. */
    public boolean stop(String identity) {
        return signal(identity, Signal.TERM);
    }

    /**
     * Makes all of these processes take no more jobs, except embedded ones and those that already take none; otherwise
     * like {@link #quiet}.
     *
     * @param processes as {@link #all} returned them
     * @param told receives after each exchange, of a hundred at most, how many it told
     */
    public void quietAll(Collection<ProcessInfo> processes, LongConsumer told) {
        signal(processes.stream().filter(each -> !each.quiet()), Signal.TSTP, told);
    }

    /** Makes all of these processes stop, except embedded ones; otherwise like {@link #quietAll}. */
    public void stopAll(Collection<ProcessInfo> processes, LongConsumer told) {
        signal(processes.stream(), Signal.TERM, told);
    }

    private void signal(Stream<ProcessInfo> processes, Signal signal, LongConsumer told) {
        registry.signal(
                processes
                        .filter(each -> !each.embedded())
                        .map(ProcessInfo::identity)
                        .toList(),
                signal,
                told);
    }

    /** Makes a process write the stacks of its threads to its log; otherwise like {@link #quiet}. */
    public boolean dumpStacks(String identity) {
        return signal(identity, Signal.TTIN);
    }

    private boolean signal(String identity, Signal signal) {
        Shown shown = registry.find(identity);
        if (shown != null && isEmbedded(shown)) {
            throw new JobsException("The process " + identity
                    + " is embedded in an application and ignores signals; quiet or stop the application itself");
        }
        return registry.signal(identity, signal);
    }

    /**
     * The processes that published a heartbeat within the last minute, with the queues they serve and the jobs they
     * know.
     */
    public Workforce workforce() {
        List<ProcessInfo> all = all();
        List<String> ours = all.stream()
                .filter(ProcessInfo::isOurs)
                .map(ProcessInfo::identity)
                .toList();
        return new Workforce(all, registry.jobs(ours), registry.published(ours));
    }

    /**
     * Requests the stack of a thread that runs a job, as {@link #work} names them. The process answers with its next
     * heartbeat, usually within two seconds; {@link #stack} returns the answer for half a minute.
     *
     * @return whether the process exists, answers such requests, and runs a job on that thread according to its last
     *     heartbeat
     */
    public boolean askForStack(String identity, String thread) {
        Shown shown = registry.find(identity);
        return shown != null && process(shown, null).isOurs() && registry.askForStack(identity, thread);
    }

    /** The answer of a process to {@link #askForStack}, or empty if there is none yet. */
    public Optional<StackDump> stack(String identity, String thread) {
        byte[] answer = registry.stack(identity, thread);
        JsonObject stack = answer == null ? null : LenientValues.object(answer);
        return stack == null
                ? Optional.empty()
                : Optional.of(new StackDump(
                        stack.get("at") instanceof Long at ? Instant.ofEpochMilli(at) : null,
                        stack.get("jid") instanceof String jid ? jid : null,
                        LenientValues.text(stack.get("thread")),
                        LenientValues.texts(stack.get("stack"))));
    }

    private static ProcessInfo process(Shown shown, @Nullable String leader) {
        Map<String, String> fields = shown.fields();
        JsonObject known = LenientValues.object(fields.get("info"));
        JsonObject info = known == null ? JsonObject.EMPTY : known;
        List<ProcessInfo.Capsule> capsules = capsules(info);
        // newer processes write it next to their info, older ones into it
        Object concurrency = fields.containsKey("concurrency") ? fields.get("concurrency") : info.get("concurrency");
        return new ProcessInfo(
                shown.identity(),
                LenientValues.text(info.get("hostname")),
                LenientValues.count(info.get("pid")),
                LenientValues.text(info.get("tag")),
                LenientValues.time(info.get("started_at")),
                capsules,
                queues(info, capsules),
                LenientValues.texts(info.get("labels")),
                LenientValues.smallCount(concurrency),
                LenientValues.smallCount(fields.get("busy")),
                LenientValues.time(fields.get("beat")),
                Duration.ofNanos(1_000 * Math.min(MOST_MICROS, LenientValues.count(fields.get("rtt_us")))),
                KIB * Math.min(Long.MAX_VALUE / KIB, LenientValues.count(fields.get("rss"))),
                "true".equals(fields.get("quiet")),
                shown.identity().equals(leader),
                LenientValues.text(info.get("version")),
                isEmbedded(info));
    }

    private static boolean isEmbedded(Shown shown) {
        JsonObject info = LenientValues.object(shown.fields().get("info"));
        return info != null && isEmbedded(info);
    }

    private static boolean isEmbedded(JsonObject info) {
        return Boolean.TRUE.equals(info.get("embedded"));
    }

    private static List<ProcessInfo.Capsule> capsules(JsonObject info) {
        List<ProcessInfo.Capsule> capsules = new ArrayList<>();
        LenientValues.map(info.get("capsules")).forEach((name, value) -> {
            Map<?, ?> capsule = LenientValues.map(value);
            Map<String, Integer> weights = new LinkedHashMap<>();
            LenientValues.map(capsule.get("weights"))
                    .forEach((queue, weight) -> weights.put(String.valueOf(queue), LenientValues.smallCount(weight)));
            capsules.add(new ProcessInfo.Capsule(
                    String.valueOf(name),
                    LenientValues.smallCount(capsule.get("concurrency")),
                    LenientValues.text(capsule.get("mode")),
                    weights));
        });
        return capsules;
    }

    private static List<String> queues(JsonObject info, List<ProcessInfo.Capsule> capsules) {
        Set<String> queues = new LinkedHashSet<>(LenientValues.texts(info.get("queues")));
        capsules.forEach(capsule -> queues.addAll(capsule.weights().keySet()));
        return List.copyOf(queues);
    }

    private static WorkInfo work(String process, String thread, byte[] entry) {
        JsonObject work = LenientValues.object(entry);
        if (work == null) {
            return new WorkInfo(process, thread, "", null, JobRecord.inQueue("", entry));
        }
        String queue = LenientValues.text(work.get("queue"));
        // the text of the job, or in older versions the job itself
        byte[] raw = work.kind("payload") == '"'
                ? LenientValues.text(work.get("payload")).getBytes(UTF_8)
                : work.raw("payload");
        byte[] payload = raw == null ? entry : raw;
        return new WorkInfo(
                process, thread, queue, LenientValues.time(work.get("run_at")), JobRecord.inQueue(queue, payload));
    }
}
