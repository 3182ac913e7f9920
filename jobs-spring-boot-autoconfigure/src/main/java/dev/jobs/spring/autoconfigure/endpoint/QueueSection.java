package dev.jobs.spring.autoconfigure.endpoint;

import static dev.jobs.spring.autoconfigure.operations.Answer.done;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Change;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Queues in the endpoint. */
final class QueueSection implements Section {

    static final String NAME = "queues";

    private final JobsAdmin admin;
    private final Set<String> served;

    /** @param served the queues that the engine serves, known before its first heartbeat */
    QueueSection(JobsAdmin admin, Set<String> served) {
        this.admin = admin;
        this.served = Set.copyOf(served);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        return Answer.found(Map.of(NAME, admin.queues().all()));
    }

    @Override
    public Answer one(String name) {
        return isKnown(name) ? Answer.found(admin.queues().named(List.of(name)).get(0)) : none(name);
    }

    @Override
    public List<String> actions() {
        return List.of("pause", "resume");
    }

    @Override
    public Answer change(String name, Change change) {
        if (!isKnown(name)) {
            return none(name);
        }
        return done(
                change.action().equals("pause")
                        ? admin.queues().pause(name)
                        : admin.queues().resume(name));
    }

    /** Whether the queue ever had a job, or is paused, or a process serves it. */
    private boolean isKnown(String queue) {
        return served.contains(queue)
                || admin.queues().find(queue).isPresent()
                || admin.queues().paused().contains(queue)
                || admin.processes().all().stream()
                        .anyMatch(each -> each.queues().contains(queue));
    }

    private static Answer none(String queue) {
        return Answer.notFound("No job was ever in a queue '" + queue
                + "', and no process with a heartbeat within the last minute serves it");
    }
}
