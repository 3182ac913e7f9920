package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A job to enqueue, with its arguments and options: for batches, recurring jobs, and jobs whose result the caller
 * awaits. Immutable.
 *
 * <pre>{@code
 * JobCall.of(Reports::prepare, campaign).queue("reports")
 * }</pre>
 *
 * {@link JobMethod} says what a call by method reference needs to compile.
 */
public final class JobCall {

    private static final UnaryOperator<JobClient> NO_OPTIONS = client -> client;

    private final @Nullable JobMethod method;
    private final String name;
    private final List<@Nullable Object> arguments;
    private final UnaryOperator<JobClient> options;

    private JobCall(
            @Nullable JobMethod method,
            String name,
            List<? extends @Nullable Object> arguments,
            UnaryOperator<JobClient> options) {
        this.method = method;
        this.name = name;
        this.arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
        this.options = options;
    }

    /** A call of a job by its wire name. This application need not know the job. */
    public static JobCall named(String name, @Nullable Object... arguments) {
        // named("X", null) passes null instead of an array, and means one null argument.
        return new JobCall(
                null, name, arguments == null ? Collections.singletonList(null) : Arrays.asList(arguments), NO_OPTIONS);
    }

    /** A call of a job by method reference, with arguments that the compiler has not checked. */
    public static JobCall ofMethod(JobMethod method, List<? extends @Nullable Object> arguments) {
        return new JobCall(method, "", arguments, NO_OPTIONS);
    }

    /** A call of a job. */
    public static <T> JobCall of(JobMethod.P0<T> method) {
        return ofMethod(method, List.of());
    }

    /** A call of a job. */
    public static <T> JobCall of(JobMethod.C0<T> method) {
        return ofMethod(method, List.of());
    }

    /** A call of a job with one argument. */
    public static <T, A extends @Nullable Object> JobCall of(JobMethod.P1<T, A> method, A a) {
        return ofMethod(method, Collections.singletonList(a));
    }

    /** A call of a job with one argument. */
    public static <T, A extends @Nullable Object> JobCall of(JobMethod.C1<T, A> method, A a) {
        return ofMethod(method, Collections.singletonList(a));
    }

    /** A call of a job with two arguments. */
    public static <T, A extends @Nullable Object, B extends @Nullable Object> JobCall of(
            JobMethod.P2<T, A, B> method, A a, B b) {
        return ofMethod(method, Arrays.asList(a, b));
    }

    /** A call of a job with two arguments. */
    public static <T, A extends @Nullable Object, B extends @Nullable Object> JobCall of(
            JobMethod.C2<T, A, B> method, A a, B b) {
        return ofMethod(method, Arrays.asList(a, b));
    }

    /** A call of a job with three arguments. */
    public static <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> JobCall of(
            JobMethod.P3<T, A, B, C> method, A a, B b, C c) {
        return ofMethod(method, Arrays.asList(a, b, c));
    }

    /** A call of a job with three arguments. */
    public static <T, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> JobCall of(
            JobMethod.C3<T, A, B, C> method, A a, B b, C c) {
        return ofMethod(method, Arrays.asList(a, b, c));
    }

    /** A call of a job with four arguments. */
    public static <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            JobCall of(JobMethod.P4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return ofMethod(method, Arrays.asList(a, b, c, d));
    }

    /** A call of a job with four arguments. */
    public static <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object>
            JobCall of(JobMethod.C4<T, A, B, C, D> method, A a, B b, C c, D d) {
        return ofMethod(method, Arrays.asList(a, b, c, d));
    }

    /** A call of a job with five arguments. */
    public static <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            JobCall of(JobMethod.P5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return ofMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** A call of a job with five arguments. */
    public static <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object>
            JobCall of(JobMethod.C5<T, A, B, C, D, E> method, A a, B b, C c, D d, E e) {
        return ofMethod(method, Arrays.asList(a, b, c, d, e));
    }

    /** A call of a job with six arguments. */
    public static <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            JobCall of(JobMethod.P6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return ofMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** A call of a job with six arguments. */
    public static <
                    T,
                    A extends @Nullable Object,
                    B extends @Nullable Object,
                    C extends @Nullable Object,
                    D extends @Nullable Object,
                    E extends @Nullable Object,
                    F extends @Nullable Object>
            JobCall of(JobMethod.C6<T, A, B, C, D, E, F> method, A a, B b, C c, D d, E e, F f) {
        return ofMethod(method, Arrays.asList(a, b, c, d, e, f));
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(ArgumentsDoNotFitTheParameters method) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a, @Nullable Object b) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(
            ArgumentsDoNotFitTheParameters method, @Nullable Object a, @Nullable Object b, @Nullable Object c) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <ArgumentsDoNotFitTheParameters extends JobMethod> JobCall of(
            ArgumentsDoNotFitTheParameters method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e,
            @Nullable Object f) {
        throw JobCall.misfit(method);
    }

    /** Makes the compiler's message short if nothing else fits; see {@link JobMethod}. */
    public static <MoreThanSixArgumentsNeedARecord extends JobMethod> JobCall of(
            MoreThanSixArgumentsNeedARecord method,
            @Nullable Object a,
            @Nullable Object b,
            @Nullable Object c,
            @Nullable Object d,
            @Nullable Object e,
            @Nullable Object f,
            @Nullable Object g,
            @Nullable Object... more) {
        throw JobCall.misfit(method);
    }

    /** Each element as the only argument of a job; their number stays known if it was. */
    static <A extends @Nullable Object> Iterable<List<A>> eachAlone(Iterable<? extends A> elements) {
        Iterable<List<A>> lists = () -> StreamSupport.stream(elements.spliterator(), false)
                .<List<A>>map(Collections::singletonList)
                .iterator();
        if (!(elements instanceof Collection<?> known)) {
            return lists;
        }
        int size = known.size();
        return new AbstractCollection<>() {
            @Override
            public Iterator<List<A>> iterator() {
                return lists.iterator();
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    @Internal
    public static InvalidJobException misfit(JobMethod method) {
        return new InvalidJobException("The arguments do not fit the parameters of "
                + method.getClass().getName() + ", or are more than six");
    }

    /** The same call in another queue; see {@link JobClient#queue}. */
    public JobCall queue(String queue) {
        return with(client -> client.queue(queue));
    }

    /** The same call at a time; see {@link JobClient#at}. */
    public JobCall at(Instant time) {
        return with(client -> client.at(time));
    }

    /** The same call with another number of retries; see {@link JobClient#retry}. */
    public JobCall retry(int retries) {
        return with(client -> client.retry(retries));
    }

    /** The same call for a job that expires; see {@link JobClient#expiresIn}. */
    public JobCall expiresIn(Duration time) {
        return with(client -> client.expiresIn(time));
    }

    /** The same call for a job of this key; see {@link JobClient#key}. */
    public JobCall key(String key) {
        return with(client -> client.key(key));
    }

    /** The same call with this priority; see {@link JobClient#priority}. */
    public JobCall priority(int priority) {
        return with(client -> client.priority(priority));
    }

    /** The same call for a unique job; see {@link JobClient#unique}. */
    public JobCall unique(String key) {
        return with(client -> client.unique(key));
    }

    /** The same call with a timeout; see {@link JobClient#timeout}. */
    public JobCall timeout(Duration timeout) {
        return with(client -> client.timeout(timeout));
    }

    /** The same call with labels; see {@link JobClient#tags}. */
    public JobCall tags(String... tags) {
        return with(client -> client.tags(tags));
    }

    /** The same call with any options of a client. */
    public JobCall with(UnaryOperator<JobClient> more) {
        UnaryOperator<JobClient> before = options;
        return new JobCall(method, name, arguments, client -> more.apply(before.apply(client)));
    }

    /** The method, or null for a call by name. */
    public @Nullable JobMethod method() {
        return method;
    }

    /** The name, or an empty text for a call by method reference. */
    public String name() {
        return name;
    }

    /** The arguments. */
    public List<@Nullable Object> arguments() {
        return arguments;
    }

    /** Whether it has options of its own. */
    @Internal
    public boolean hasOptions() {
        return options != NO_OPTIONS;
    }

    /** The given client with the options of this call. */
    public JobClient apply(JobClient client) {
        return options.apply(client);
    }
}
