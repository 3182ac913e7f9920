package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.processes.PublishedJobs;
import dev.jobs.processes.PublishedJobs.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All processes at one moment: which queues they serve, and which jobs they know. Immutable. */
public final class Workforce {

    private final List<ProcessInfo> processes;
    private final Map<String, Set<String>> known;
    private final Map<String, PublishedJobs> published;
    private final Map<String, List<ProcessInfo>> byQueue = new HashMap<>();

    /**
     * @param jobs for each process the names of the jobs it knows, one per line; null or empty if it doesn't publish
     * them
     * @param published the same jobs as each process describes them
     */
    @Internal
    public Workforce(
            List<ProcessInfo> processes, Map<String, @Nullable String> jobs, Map<String, PublishedJobs> published) {
        this.published = Map.copyOf(published);
        this.processes = List.copyOf(processes);
        this.processes.forEach(process -> process.queues().stream().distinct().forEach(queue -> byQueue.computeIfAbsent(
                        queue, first -> new ArrayList<>())
                .add(process)));
        Map<String, Set<String>> byProcess = new HashMap<>();
        Map<String, Set<String>> read = new HashMap<>(); // processes of one version publish the same
        jobs.forEach((identity, names) -> {
            if (names != null && !names.isEmpty()) {
                byProcess.put(identity, read.computeIfAbsent(names, Workforce::lines));
            }
        });
        this.known = Map.copyOf(byProcess);
    }

    private static Set<String> lines(String names) {
        return Arrays.stream(names.split("\n")).collect(Collectors.toUnmodifiableSet());
    }

    /** The processes with a heartbeat within the last minute, by identity. */
    public List<ProcessInfo> processes() {
        return processes;
    }

    /** The processes that serve a queue, including quiet ones. */
    public List<ProcessInfo> serving(String queue) {
        return Collections.unmodifiableList(byQueue.getOrDefault(queue, List.of()));
    }

    /** How many processes take jobs from a queue. */
    public int workers(String queue) {
        return (int) serving(queue).stream().filter(each -> !each.quiet()).count();
    }

    /**
     * The jobs that some processes that take jobs know, and others at the same queues don't, or know with other
     * parameters, by name. Processes that publish nothing, such as those of Ruby, are left out.
     */
    public List<JobSkew> skew() {
        Map<String, List<ProcessInfo>> byJob = new TreeMap<>();
        List<ProcessInfo> telling = processes.stream()
                .filter(each -> !each.quiet() && !jobs(each).isEmpty())
                .toList();
        telling.forEach(
                process -> jobs(process).keySet().forEach(job -> byJob.computeIfAbsent(job, first -> new ArrayList<>())
                        .add(process)));
        List<JobSkew> skew = new ArrayList<>();
        byJob.forEach((job, knowing) -> {
            Set<String> queues =
                    knowing.stream().flatMap(each -> each.queues().stream()).collect(Collectors.toSet());
            List<String> unknown = telling.stream()
                    .filter(each -> !jobs(each).containsKey(job)
                            && each.queues().stream().anyMatch(queues::contains))
                    .map(ProcessInfo::identity)
                    .toList();
            long shapes =
                    knowing.stream().map(each -> jobs(each).get(job)).distinct().count();
            if (!unknown.isEmpty() || shapes > 1) {
                List<String> known = knowing.stream().map(ProcessInfo::identity).toList();
                skew.add(new JobSkew(job, known, unknown, Math.toIntExact(shapes)));
            }
        });
        return List.copyOf(skew);
    }

    /** The names of all jobs that a process which takes jobs knows, sorted. */
    public SortedSet<String> jobs() {
        SortedSet<String> names = new TreeSet<>();
        processes.stream()
                .filter(each -> !each.quiet())
                .forEach(each -> names.addAll(known.getOrDefault(each.identity(), Set.of())));
        return names;
    }

    /** Whether each process that takes jobs says which jobs it knows. Those of Ruby don't. */
    public boolean isComplete() {
        return processes.stream().filter(each -> !each.quiet()).allMatch(each -> known.containsKey(each.identity()));
    }

    /**
     * How many arguments a job takes in the processes that take jobs, the most if they differ. Empty if none says so.
     */
    public OptionalInt parameters(String job) {
        return processes.stream()
                .filter(each -> !each.quiet())
                .flatMap(each -> Stream.ofNullable(jobs(each).get(job)))
                .mapToInt(Shape::parameters)
                .filter(count -> count >= 0)
                .max();
    }

    /** The queues of the processes that take jobs and know a job, sorted. */
    public SortedSet<String> queues(String job) {
        SortedSet<String> queues = new TreeSet<>();
        processes.stream()
                .filter(each -> !each.quiet()
                        && known.getOrDefault(each.identity(), Set.of()).contains(job))
                .forEach(each -> queues.addAll(each.queues()));
        return queues;
    }

    private Map<String, Shape> jobs(ProcessInfo process) {
        PublishedJobs jobs = published.get(process.identity());
        return jobs == null ? Map.of() : jobs.byName();
    }

    /**
     * Whether a process that takes jobs from a queue knows a job. Null if unknown: there is no such process, or one of
     * them, such as a Ruby process, doesn't publish what it knows.
     *
     * @param job whose name in the payload is compared, and the name of the job that a framework wrapped
     */
    public @Nullable Boolean knows(String queue, Payload job) {
        String name = job.name();
        if (name == null) {
            return null;
        }
        String wrapped = Objects.requireNonNullElse(job.text("wrapped"), name);
        List<ProcessInfo> workers =
                serving(queue).stream().filter(each -> !each.quiet()).toList();
        for (ProcessInfo worker : workers) {
            Set<String> names = known.getOrDefault(worker.identity(), Set.of());
            if (names.contains(name) || names.contains(wrapped)) {
                return true;
            }
        }
        boolean allSay = !workers.isEmpty() && workers.stream().allMatch(each -> known.containsKey(each.identity()));
        return allSay ? false : null;
    }
}
