package dev.jobs.spring;

import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobMethod;
import dev.jobs.JobStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Enqueues jobs from reactive code: what {@link JobClient} does, without holding up an event loop. Nothing happens until
 * somebody subscribes, and each subscription enqueues anew. Safe for use by many threads.
 *
 * <pre>{@code
 * Mono<String> jid = jobs.in(Duration.ofMinutes(10)).enqueue(JobCall.of(Emails::welcome, "bob@example.com", 5));
 * }</pre>
 *
 * <p>When a Mono ends, its job is in Redis. In a reactive transaction of Spring, it is stored once the transaction has
 * committed, and dropped on rollback. A Mono without a value means that a middleware or a lock kept the job from being
 * stored. Errors are those of {@link JobClient}; with an outbox, which writes rows through JDBC, a call in a reactive
 * transaction ends with {@link InvalidJobException}, except through {@link #now}; so does a call that gets its turn only
 * after its transaction was rolled back. At most 32 calls of a process are at
 * Redis at once; if more than 32,000 wait, a call ends with {@link JobStoreException}.
 *
 * <p>The calls run on threads of their own, where thread-locals are those that Reactor's automatic context propagation
 * restores.
 */
public interface ReactiveJobClient {

    /** How many jobs of a bulk call are enqueued together. */
    int SLICE = 1_000;

    /**
     * Does anything that {@link JobClient} can do, such as {@code client -> client.cancel(jid)}. It may block.
     *
     * @return what the function returns; empty for null
     */
    <T> Mono<T> call(Function<? super JobClient, ? extends @Nullable T> call);

    /** Returns a client with options of {@link JobClient}, such as {@code client -> client.priority(5)}. */
    default ReactiveJobClient with(UnaryOperator<JobClient> options) {
        ReactiveJobClient whole = this;
        return new ReactiveJobClient() {
            @Override
            public <T> Mono<T> call(Function<? super JobClient, ? extends @Nullable T> call) {
                return whole.<T>call(client -> call.apply(options.apply(client)));
            }
        };
    }

    /** Returns a client whose jobs wait until the given time; see {@link JobClient#at}. */
    default ReactiveJobClient at(Instant time) {
        return with(client -> client.at(time));
    }

    /** Returns a client whose jobs wait for the given time, counted from each subscription; see {@link JobClient#in}. */
    default ReactiveJobClient in(Duration delay) {
        return with(client -> client.in(delay));
    }

    /** Returns a client whose jobs go to the given queue; see {@link JobClient#queue}. */
    default ReactiveJobClient queue(String queue) {
        return with(client -> client.queue(queue));
    }

    /** Returns a client whose calls store their jobs themselves, also in a transaction; see {@link JobClient#now}. */
    default ReactiveJobClient now() {
        return with(JobClient::now);
    }

    /**
     * Enqueues a job by method reference, with the options of its call; see {@link JobClient#enqueueMethod}. {@link
     * JobMethod} says what a call by method reference needs to compile.
     */
    default Mono<String> enqueue(JobCall job) {
        JobMethod method = job.method();
        return with(job::apply)
                .call(client -> method == null
                        ? client.enqueue(job.name(), job.arguments().toArray())
                        : client.enqueueMethod(method, job.arguments()));
    }

    /** Enqueues a job by its wire name; see {@link JobClient#enqueue(String, Object...)}. */
    default Mono<String> enqueue(String name, @Nullable Object... arguments) {
        return call(client -> client.enqueue(name, arguments));
    }

    /** Stores a raw Sidekiq payload; see {@link JobClient#push}. */
    default Mono<String> push(Map<String, ? extends @Nullable Object> payload) {
        return call(client -> client.push(payload));
    }

    /**
     * Enqueues one job for each list of arguments, in slices of up to 1,000. If a slice fails, the earlier ones stay
     * stored.
     *
     * @return the jids of the stored jobs, in the order of the input
     */
    default Flux<String> enqueueAll(String name, Publisher<? extends List<? extends @Nullable Object>> argumentLists) {
        return slices(argumentLists, (client, slice) -> client.enqueueAll(name, slice));
    }

    /** Enqueues one job for each element, with the element as its only argument; otherwise like the other method. */
    default <T, A> Flux<String> enqueueAll(JobMethod.P1<T, A> method, Publisher<? extends A> arguments) {
        return slices(arguments, (client, slice) -> client.enqueueAll(method, slice));
    }

    /** Enqueues one job for each element, with the element as its only argument; otherwise like the other method. */
    default <T, A> Flux<String> enqueueAll(JobMethod.C1<T, A> method, Publisher<? extends A> arguments) {
        return slices(arguments, (client, slice) -> client.enqueueAll(method, slice));
    }

    private <E> Flux<String> slices(
            Publisher<? extends E> elements, BiFunction<JobClient, List<? extends E>, List<@Nullable String>> call) {
        return Flux.<E>from(elements)
                .buffer(SLICE)
                .concatMap(slice -> this.<List<@Nullable String>>call(client -> call.apply(client, slice)))
                .concatMapIterable(
                        jids -> jids.stream().filter(Objects::nonNull).toList());
    }
}
