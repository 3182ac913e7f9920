package dev.jobs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Turns jobs of a former version into jobs of this one, when a worker takes them: another name, other arguments, or
 * both. With Spring, every bean of this type is called. For a new name alone, {@link Job#aliases} is enough.
 *
 * <pre>{@code
 * @Bean
 * JobUpcaster mailsOfVersion1() {
 *     // Mails.send(from, to) became Emails.welcome(to)
 *     return JobUpcaster.of("Mails.send", job -> new Stored("Emails.welcome", List.of(job.arguments().get(1))));
 * }
 * }</pre>
 *
 * <p>Only the execution changes: Redis, user interfaces, middleware and {@link JobContext} keep the stored name and
 * arguments. Upcasters are called in their order, each at most once for a job, so one may continue where another ended.
 * Called on the threads that run jobs, many at once, and again after a failure, since retries depend on the job. So they
 * must have no other effect. An exception is a failure of the job.
 */
public interface JobUpcaster {

    /**
     * A job as it is stored.
     *
     * @param arguments plain values: null, text, booleans, numbers ({@code Long}, {@code BigInteger}, {@code Double}),
     *     lists and maps of these
     */
    record Stored(String name, List<? extends @Nullable Object> arguments) {

        public Stored {
            arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
        }
    }

    /** The wire names of the jobs that it is called for, at least one; asked once. */
    Set<String> names();

    /** Returns the job to run instead, or the given one if it has the new form already. */
    Stored upcast(Stored job);

    /** An upcaster for the jobs of one name. */
    static JobUpcaster of(String name, UnaryOperator<Stored> change) {
        return new JobUpcaster() {
            @Override
            public Set<String> names() {
                return Set.of(name);
            }

            @Override
            public Stored upcast(Stored job) {
                return change.apply(job);
            }
        };
    }
}
