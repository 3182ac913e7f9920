package dev.jobs.spring.autoconfigure.endpoint;

import static dev.jobs.spring.autoconfigure.operations.Answer.done;

import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Change;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Processes in the endpoint. */
final class ProcessSection implements Section {

    static final String NAME = "processes";

    /** Stands for the identity of this process. */
    static final String SELF = "self";

    private final JobsAdmin admin;
    private final @Nullable JobEngine engine;

    /** @param engine null if this process runs no jobs */
    ProcessSection(JobsAdmin admin, @Nullable JobEngine engine) {
        this.admin = admin;
        this.engine = engine;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        return Answer.found(Map.of(NAME, admin.processes().all()));
    }

    @Override
    public Answer one(String name) {
        String identity = name.equals(SELF) && engine != null ? engine.health().identity() : name;
        return admin.processes().all().stream()
                .filter(each -> each.identity().equals(identity))
                .findFirst()
                .map(Answer::found)
                .orElseGet(() -> none(name));
    }

    @Override
    public List<String> actions() {
        return List.of("quiet");
    }

    @Override
    public Answer change(String name, Change change) {
        if (name.equals(SELF) && engine != null) {
            boolean runs = engine.health().state() == State.RUNNING;
            engine.quiet();
            return done(runs);
        }
        return admin.processes().all().stream().anyMatch(each -> each.identity().equals(name))
                ? done(admin.processes().quiet(name))
                : none(name);
    }

    private static Answer none(String identity) {
        return Answer.notFound("No process '" + identity + "' has sent a heartbeat within the last minute");
    }
}
