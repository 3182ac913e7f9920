package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.JobsException;
import dev.jobs.codec.JsonObject;
import dev.jobs.redis.ProcessRegistry;
import dev.jobs.redis.ProcessRegistry.Shown;
import dev.jobs.redis.ProcessRegistry.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shows processes and signals them. Understands what processes of all versions, Ruby and Java, write about themselves. */
final class Processes {

    private static final int KIB = 1_024;
    private static final long MOST_MICROS = Duration.ofDays(1).toSeconds() * 1_000_000;

    private final ProcessRegistry registry;

    Processes(ProcessRegistry registry) {
        this.registry = registry;
    }

    List<ProcessInfo> all() {
        String leader = registry.leader();
        return registry.list().stream()
                .map(shown -> process(shown, leader))
                .sorted(Comparator.comparing(ProcessInfo::identity))
                .toList();
    }

    List<WorkInfo> work(List<ProcessInfo> processes, int most) {
        List<WorkInfo> work = new ArrayList<>();
        for (ProcessInfo process : processes) {
            if (work.size() < most) {
                registry.work(process.identity(), most - work.size())
                        .forEach((thread, entry) -> work.add(work(process.identity(), thread, entry)));
            }
        }
        work.sort(Comparator.comparing(WorkInfo::runAt, Comparator.nullsLast(Comparator.naturalOrder())));
        return List.copyOf(work);
    }

    boolean signal(String identity, Signal signal) {
        Shown shown = registry.find(identity);
        if (shown != null && isEmbedded(shown)) {
            throw new JobsException("The process " + identity
                    + " is embedded in an application and heeds no signals; quiet or stop the application itself");
        }
        return registry.signal(identity, signal);
    }

    Workforce workforce() {
        List<ProcessInfo> all = all();
        List<String> ours = all.stream()
                .filter(ProcessInfo::isOurs)
                .map(ProcessInfo::identity)
                .toList();
        return new Workforce(all, registry.jobs(ours));
    }

    boolean askForStack(String identity, String thread) {
        Shown shown = registry.find(identity);
        return shown != null && process(shown, null).isOurs() && registry.askForStack(identity, thread);
    }

    Optional<StackDump> stack(String identity, String thread) {
        byte[] answer = registry.stack(identity, thread);
        JsonObject stack = answer == null ? null : Lenient.object(answer);
        return stack == null
                ? Optional.empty()
                : Optional.of(new StackDump(
                        stack.get("at") instanceof Long at ? Instant.ofEpochMilli(at) : null,
                        stack.get("jid") instanceof String jid ? jid : null,
                        Lenient.text(stack.get("thread")),
                        Lenient.texts(stack.get("stack"))));
    }

    private static ProcessInfo process(Shown shown, @Nullable String leader) {
        Map<String, String> fields = shown.fields();
        JsonObject known = Lenient.object(fields.get("info"));
        JsonObject info = known == null ? JsonObject.EMPTY : known;
        List<ProcessInfo.Capsule> capsules = capsules(info);
        // newer processes write it beside their info, older ones into it
        Object concurrency = fields.containsKey("concurrency") ? fields.get("concurrency") : info.get("concurrency");
        return new ProcessInfo(
                shown.identity(),
                Lenient.text(info.get("hostname")),
                Lenient.count(info.get("pid")),
                Lenient.text(info.get("tag")),
                Lenient.time(info.get("started_at")),
                capsules,
                queues(info, capsules),
                Lenient.texts(info.get("labels")),
                Lenient.smallCount(concurrency),
                Lenient.smallCount(fields.get("busy")),
                Lenient.time(fields.get("beat")),
                Duration.ofNanos(1_000 * Math.min(MOST_MICROS, Lenient.count(fields.get("rtt_us")))),
                KIB * Math.min(Long.MAX_VALUE / KIB, Lenient.count(fields.get("rss"))),
                "true".equals(fields.get("quiet")),
                shown.identity().equals(leader),
                Lenient.text(info.get("version")),
                isEmbedded(info));
    }

    private static boolean isEmbedded(Shown shown) {
        JsonObject info = Lenient.object(shown.fields().get("info"));
        return info != null && isEmbedded(info);
    }

    private static boolean isEmbedded(JsonObject info) {
        return Boolean.TRUE.equals(info.get("embedded"));
    }

    private static List<ProcessInfo.Capsule> capsules(JsonObject info) {
        List<ProcessInfo.Capsule> capsules = new ArrayList<>();
        Lenient.map(info.get("capsules")).forEach((name, value) -> {
            Map<?, ?> capsule = Lenient.map(value);
            Map<String, Integer> weights = new LinkedHashMap<>();
            Lenient.map(capsule.get("weights"))
                    .forEach((queue, weight) -> weights.put(String.valueOf(queue), Lenient.smallCount(weight)));
            capsules.add(new ProcessInfo.Capsule(
                    String.valueOf(name),
                    Lenient.smallCount(capsule.get("concurrency")),
                    Lenient.text(capsule.get("mode")),
                    weights));
        });
        return capsules;
    }

    private static List<String> queues(JsonObject info, List<ProcessInfo.Capsule> capsules) {
        Set<String> queues = new LinkedHashSet<>(Lenient.texts(info.get("queues")));
        capsules.forEach(capsule -> queues.addAll(capsule.weights().keySet()));
        return List.copyOf(queues);
    }

    private static WorkInfo work(String process, String thread, byte[] entry) {
        JsonObject work = Lenient.object(entry);
        if (work == null) {
            return new WorkInfo(process, thread, "", null, JobRecord.inQueue("", entry));
        }
        String queue = Lenient.text(work.get("queue"));
        // the text of the job, or in older versions the job itself
        byte[] raw =
                work.kind("payload") == '"' ? Lenient.text(work.get("payload")).getBytes(UTF_8) : work.raw("payload");
        byte[] payload = raw == null ? entry : raw;
        return new WorkInfo(
                process, thread, queue, Lenient.time(work.get("run_at")), JobRecord.inQueue(queue, payload));
    }
}
