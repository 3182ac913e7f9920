package dev.jobs.spring.autoconfigure.context;

import dev.jobs.EnqueueCall;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.JobMiddleware;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes chosen values of the calling thread into the member {@value #MEMBER} of the jobs that it enqueues, and gives
 * them to the thread that performs the job, from before the line that the job starts until after all other listeners
 * heard that it ended. The thread that takes the place of one that is left behind gets them as well. A job whose values
 * can't be restored fails, rather than run for the wrong tenant.
 */
final class CarriedContext implements EnqueueMiddleware, JobMiddleware {

    /** The member of the payload. */
    static final String MEMBER = "ctx";

    private static final Logger log = LoggerFactory.getLogger(CarriedContext.class);

    /** Control characters could forge log lines. */
    private static final Pattern CARRIED = Pattern.compile("[^\\p{Cntrl}\\u2028\\u2029]{1,200}");

    private static final int LINE_CHARACTERS = 400;

    private static final String RESTORED = CarriedContext.class.getName();

    private final Supplier<List<CarriedValue>> values;
    private final Set<CarriedValue> reported = ConcurrentHashMap.newKeySet();

    /** @param failure why the rest could not be restored */
    private record Restored(Deque<Runnable> undo, @Nullable JobsException failure) {}

    /** @param values looked up when first used, since accessors may be registered late */
    CarriedContext(Supplier<List<CarriedValue>> values) {
        this.values = values;
    }

    @Override
    public @Nullable Payload enqueue(Payload payload, EnqueueMiddleware.Chain next) {
        return next.proceed(payload);
    }

    @Override
    public EnqueueCall begin(@Nullable String batch) {
        if (values.get().isEmpty()) {
            return EnqueueCall.NONE;
        }
        Map<String, Object> member = read();
        return member.isEmpty()
                ? EnqueueCall.NONE
                : new EnqueueCall() {
                    @Override
                    public Payload add(Payload draft) {
                        return draft.has(MEMBER) ? draft : draft.with(MEMBER, member);
                    }
                };
    }

    private Map<String, Object> read() {
        Map<String, Object> member = new LinkedHashMap<>();
        Map<String, Map<String, Object>> groups = new LinkedHashMap<>();
        for (CarriedValue each : values.get()) {
            String value = read(each);
            if (value != null) {
                CarriedValue.Path path = each.path();
                Map<String, Object> group = path.group().isEmpty()
                        ? member
                        : groups.computeIfAbsent(path.group(), name -> new LinkedHashMap<>());
                group.put(path.name(), value);
            }
        }
        member.putAll(groups);
        return member;
    }

    /** The value of the current thread; null if there is none that a job may take along. */
    private @Nullable String read(CarriedValue each) {
        String problem;
        try {
            String value = each.read();
            if (value == null || value.isEmpty() || CARRIED.matcher(value).matches()) {
                return value == null || value.isEmpty() ? null : value;
            }
            problem = "it has " + value.length()
                    + " characters, or a control character; jobs take along at most 200 characters on one line";
        } catch (RuntimeException e) {
            problem = e.toString();
        }
        if (reported.add(each)) {
            log.warn(
                    "The value of {} stays behind when jobs are enqueued: {}. This is logged once",
                    each.path(),
                    OneLine.of(problem, LINE_CHARACTERS));
        }
        return null;
    }

    /** Restores the values on the thread that begins the job, or goes on in its place. */
    JobListener begins() {
        return new JobListener() {
            @Override
            public void started(JobContext job) {
                restore(job);
            }

            @Override
            public void abandoned(JobContext job) {
                job.attributes().remove(RESTORED); // of the thread that is left behind, and has them as long as it runs
                Restored restored = restore(job);
                if (restored != null && restored.failure() != null) {
                    throw restored.failure();
                }
            }
        };
    }

    /** Removes them again, on the thread that has them. */
    JobListener ends() {
        return new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                if (job.attributes().remove(RESTORED) instanceof Restored restored) {
                    restored.undo().forEach(CarriedContext::undo);
                }
            }
        };
    }

    /** One that fails keeps no other value on the thread. */
    private static void undo(Runnable undo) {
        try {
            undo.run();
        } catch (RuntimeException e) {
            log.error(
                    "A value that a job took along from its caller stays on the thread {}",
                    Thread.currentThread().getName(),
                    e);
        }
    }

    /** Returns null if the job took nothing along. */
    private @Nullable Restored restore(JobContext job) {
        if (!(job.payload().get(MEMBER) instanceof Map<?, ?> member)) {
            return null;
        }
        Deque<Runnable> undo = new ArrayDeque<>();
        JobsException failure = null;
        for (CarriedValue each : values.get()) {
            CarriedValue.Path path = each.path();
            Object group = path.group().isEmpty() ? member : member.get(path.group());
            Object value = group instanceof Map<?, ?> map ? map.get(path.name()) : null;
            if (value instanceof String text && CARRIED.matcher(text).matches()) {
                try {
                    undo.push(each.restore(text));
                } catch (RuntimeException e) {
                    failure = new JobsException(
                            "Could not restore " + path + ", which the job took along from its caller", e);
                }
            }
        }
        Restored restored = new Restored(undo, failure);
        job.attributes().put(RESTORED, restored);
        return restored;
    }

    @Override
    public void perform(JobContext job, JobMiddleware.Chain next) throws Exception {
        if (job.attributes().get(RESTORED) instanceof Restored restored && restored.failure() != null) {
            throw restored.failure();
        }
        next.proceed();
    }
}
