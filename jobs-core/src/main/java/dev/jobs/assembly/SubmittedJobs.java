package dev.jobs.assembly;

import dev.jobs.JobCall;
import dev.jobs.JobDefinition;
import dev.jobs.JobHandle;
import dev.jobs.JobMethod;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.client.PayloadBuilder;
import dev.jobs.results.Results;
import dev.jobs.transactions.CommittedJobs;
import java.lang.invoke.MethodType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues jobs that are to leave their results, and hands out the handles by which callers await these. Thread-safe. */
final class SubmittedJobs {

    private final Results results;
    private final JobRegistry registry;

    SubmittedJobs(Results results, JobRegistry registry) {
        this.results = results;
        this.registry = registry;
    }

    /** @param client the caller's, with its options */
    <V> JobHandle<V> submit(RedisJobClient client, JobCall call, Class<V> type) {
        RedisJobClient asking =
                client.with(results.asking(client.options().ofOne())).with(call);
        JobMethod method = call.method();
        Payload draft = asking.draftOf(call);
        return results.handle(
                String.valueOf(draft.jid()),
                Results.client(asking.options()),
                asking.enqueueOne(draft),
                !CommittedJobs.isNow(asking.options()),
                method == null ? type : valueType(registry.resolve(method), type));
    }

    /** @param client the caller's, with its options */
    <V> List<JobHandle<V>> submitAll(
            RedisJobClient client,
            Iterable<? extends List<? extends @Nullable Object>> elements,
            PayloadBuilder.OfEach drafts,
            Type type) {
        RedisJobClient asking = client.with(results.asking(client.options()));
        List<String> drafted = new ArrayList<>();
        List<@Nullable String> stored = asking.enqueueEach(elements, (arguments, given, now) -> {
            Payload draft = drafts.build(arguments, given, now);
            drafted.add(String.valueOf(draft.jid()));
            return draft;
        });
        return results.handles(
                drafted, Results.client(asking.options()), stored, !CommittedJobs.isNow(client.options()), type);
    }

    /** What to read a value as: a method may say more than its class. */
    static Type valueType(JobDefinition job, Class<?> type) {
        Class<?> returned =
                MethodType.methodType(job.method().getReturnType()).wrap().returnType();
        return type.isAssignableFrom(returned) ? job.method().getGenericReturnType() : type;
    }
}
