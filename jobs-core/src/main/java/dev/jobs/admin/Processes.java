package dev.jobs.admin;

import dev.jobs.JobsException;
import dev.jobs.codec.JsonObject;
import dev.jobs.redis.ProcessRegistry;
import dev.jobs.redis.ProcessRegistry.Shown;
import dev.jobs.redis.ProcessRegistry.Signal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What there is to see of processes, and what they can be told. */
final class Processes {

    private final ProcessRegistry registry;

    Processes(ProcessRegistry registry) {
        this.registry = registry;
    }

    List<ProcessInfo> all() {
        String leader = registry.leader();
        return registry.list().stream()
                .map(shown -> ProcessReader.process(shown, leader))
                .sorted(Comparator.comparing(ProcessInfo::identity))
                .toList();
    }

    List<WorkInfo> work(int most) {
        List<WorkInfo> work = new ArrayList<>();
        for (Shown shown : registry.list()) {
            if (work.size() < most) {
                registry.work(shown.identity(), most - work.size())
                        .forEach((thread, entry) -> work.add(ProcessReader.work(shown.identity(), thread, entry)));
            }
        }
        work.sort(Comparator.comparing(WorkInfo::runAt, Comparator.nullsLast(Comparator.naturalOrder())));
        return List.copyOf(work);
    }

    boolean signal(String identity, Signal signal) {
        Shown shown = registry.find(identity);
        if (shown != null && ProcessReader.isEmbedded(shown)) {
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
        return shown != null && ProcessReader.process(shown, null).isOurs() && registry.askForStack(identity, thread);
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
}
