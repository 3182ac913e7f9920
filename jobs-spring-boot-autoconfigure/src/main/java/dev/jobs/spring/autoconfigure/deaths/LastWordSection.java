package dev.jobs.spring.autoconfigure.deaths;

import dev.jobs.JobRegistry;
import dev.jobs.deaths.DeathRules;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The last words of this application's jobs in the endpoint. */
final class LastWordSection implements Section {

    private final JobRegistry registry;

    /**
     * A job that has one.
     *
     * @param method the names of the class and the method that is called when the job is given up
     */
    public record LastWord(String job, String method) {}

    LastWordSection(JobRegistry registry) {
        this.registry = registry;
    }

    @Override
    public String name() {
        return "last-words";
    }

    @Override
    public boolean isList() {
        return true;
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        List<LastWord> words = registry.definitions().stream()
                .flatMap(job ->
                        Stream.ofNullable(DeathRules.methodOf(job)).map(method -> new LastWord(job.name(), method)))
                .sorted(Comparator.comparing(LastWord::job))
                .toList();
        return Answer.found(Map.of(name(), words));
    }
}
