package dev.jobs;

import dev.jobs.JobAnnotations.Search;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.ParameterType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A discovered {@link Job} method: its wire name, its options as payload members, its parameters and how to call it.
 * Immutable.
 */
public final class JobDefinition {

    /** The queue names that we accept for new jobs; a worker also serves other names if they are configured. */
    public static final Pattern QUEUE_NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,128}");

    private static final Pattern JOB_NAME = Pattern.compile("[^\\p{Cntrl}|]{1,200}");
    private static final int MAX_IGNORED = 100;

    /** Calls the method on its bean and returns the method's result. */
    @FunctionalInterface
    public interface Invoker {
        @Nullable Object invoke(@Nullable Object[] arguments) throws Throwable;
    }

    private final String name;
    private final List<String> aliases;
    private final Map<String, Object> options;
    private final Class<?> type;
    private final Method method;
    private final List<ParameterType> parameters;
    private final int ignoredArguments;
    private final Set<Integer> masked;
    private final boolean encrypted;
    private final boolean dropsTexts;
    private final boolean takesContext;
    private final Invoker invoker;
    private final boolean iterable;
    private final ArgumentCodec codec;

    /** What the rules of features read, by its class. Complete when {@link #of} returns. */
    private final Map<Class<?>, Object> rules = new HashMap<>();

    private boolean hasDigest;

    /** A key that is made of arguments and stored as it is, in words; null if there is none. */
    private @Nullable String openKey;

    private JobDefinition(
            Job job,
            Search search,
            ArgumentCodec codec,
            Class<?> type,
            Method method,
            List<Type> types,
            Invoker invoker) {
        this.codec = codec;
        this.type = type;
        this.method = method;
        this.name = job.value().isEmpty() ? type.getSimpleName() + "." + method.getName() : job.value();
        this.aliases = List.of(job.aliases());
        JobAnnotations annotations = new JobAnnotations(job, method, search, qualifiedMethodName());
        this.options = annotations.options();
        this.takesContext = !types.isEmpty() && types.get(types.size() - 1) == JobContext.class;
        DeclaredParameters declared = new DeclaredParameters(type, method);
        this.parameters =
                parametersOf(declared, takesContext ? types.subList(0, types.size() - 1) : types, search::text);
        this.ignoredArguments = job.ignoredArguments();
        this.encrypted = Boolean.TRUE.equals(options.get(ArgumentSeal.WANTED));
        this.masked = maskedOf(declared, parameters.size(), ignoredArguments, encrypted);
        this.dropsTexts = encrypted || declared.dropsTexts();
        this.invoker = invoker;
        this.iterable = JobRules.all().stream().anyMatch(rule -> rule.isIterable(method));
    }

    /**
     * Reads and checks the annotation and the method.
     *
     * @param job the annotation
     * @param type the class of the bean, from which the default name is taken
     * @param method the method as found in that class
     * @param parameterTypes the types of all its parameters, type variables resolved
     * @param invoker calls the method, with one argument for each of its parameters
     * @throws JobDefinitionException if a name, queue, option or parameter type can't work
     */
    public static JobDefinition of(
            Job job, Class<?> type, Method method, List<? extends Type> parameterTypes, Invoker invoker) {
        return of(job, Search.PLAIN, new ArgumentCodec(), type, method, parameterTypes, invoker);
    }

    /**
     * The same for a method whose annotations are searched elsewhere.
     *
     * @param codec writes and reads its arguments and its result
     */
    @Internal
    public static JobDefinition of(
            Job job,
            Search search,
            ArgumentCodec codec,
            Class<?> type,
            Method method,
            List<? extends Type> parameterTypes,
            Invoker invoker) {
        JobDefinition definition =
                new JobDefinition(job, search, codec, type, method, KotlinTypes.of(method, parameterTypes), invoker);
        definition.check();
        definition.read(new JobAnnotations(job, method, search, definition.qualifiedMethodName()));
        return definition;
    }

    private void read(JobAnnotations annotations) {
        for (JobRule rule : JobRules.all()) {
            Object read = rule.read(this, annotations);
            if (read != null) {
                rules.put(read.getClass(), read);
                hasDigest |= !rule.digests().isEmpty();
            }
        }
    }

    private void check() {
        for (String each : allNames()) {
            if (!JOB_NAME.matcher(each).matches() || each.isBlank()) {
                throw wrong(
                        "its name '" + each + "' is not 1 to 200 characters without control characters and '|'",
                        "Give it another name with @Job(\"…\").");
            }
        }
        if (ignoredArguments < 0 || ignoredArguments > MAX_IGNORED) {
            throw wrong(
                    "its ignoredArguments is " + ignoredArguments,
                    "Use 0 to " + MAX_IGNORED + ": the number of parameters that were removed from its end.");
        }
        for (ParameterType parameter : parameters) {
            if (parameter.type() == JobContext.class) {
                throw wrong(
                        "its parameter '" + parameter.name() + "' is a JobContext but not the last parameter",
                        "Make the JobContext the last parameter.");
            }
            try {
                codec.check(parameter);
            } catch (ArgumentException e) {
                throw wrong(
                        String.valueOf(e.getMessage()),
                        "Use a type that JSON can carry (a record, String, number, Instant, collection …), and load the rest by its id "
                                + "when the job runs.");
            }
        }
    }

    /** Writes and reads its arguments and its result. */
    @Internal
    public ArgumentCodec codec() {
        return codec;
    }

    /**
     * Refuses a key that is made of masked arguments: keys are stored and shown as they are, except for those of locks,
     * of which only a digest is stored. Others are remembered for calls that ask for encryption.
     *
     * @throws JobDefinitionException if one of them is
     */
    @Internal
    public void checkHidesMasked(String key, Set<Integer> arguments) {
        for (int each : arguments) {
            String names = key + " names the parameter '" + parameters.get(each).name() + "'";
            openKey = names;
            if (masked.contains(each)) {
                throw wrong(
                        names + ", which is " + (encrypted ? "@Encrypted" : "@Masked"),
                        "Keys are stored as they are, and shown to everyone who sees the queues and limits: "
                                + (encrypted
                                        ? "leave the argument out of the key, or remove @Encrypted."
                                        : "make the key of a parameter that may be seen, such as an id, or remove"
                                                + " @Masked."));
            }
        }
    }

    /**
     * Refuses a call that asks for encrypted arguments if a key would tell of them.
     *
     * @param called the name of the job in the call
     * @throws InvalidJobException if one would
     */
    void checkKeysHideArguments(@Nullable String called) {
        if (openKey != null) {
            throw new InvalidJobException("Could not enqueue job " + OneLine.of(called)
                    + ": its arguments are to be encrypted, and " + openKey
                    + ", while keys are stored as they are; leave the argument out of the key of "
                    + qualifiedMethodName() + ", or enqueue it without encrypted()");
        }
    }

    private JobDefinitionException wrong(String what, String action) {
        return JobAnnotations.wrong(qualifiedMethodName(), what, action);
    }

    private List<ParameterType> parametersOf(
            DeclaredParameters declared, List<Type> types, UnaryOperator<String> texts) {
        try {
            return declared.of(types, texts, codec);
        } catch (ArgumentException e) {
            throw wrong(
                    String.valueOf(e.getMessage()),
                    "Write a default as an argument would be stored, such as 5 or a text, and give one to each parameter after"
                            + " the first that has one.");
        }
    }

    /** Ignored arguments are masked, too: the parameters that they had may have been. */
    private static Set<Integer> maskedOf(DeclaredParameters declared, int parameters, int ignored, boolean all) {
        Set<Integer> masked = new HashSet<>();
        for (int i = 0; i < Math.min(ignored, MAX_IGNORED); i++) {
            masked.add(parameters + i);
        }
        for (int i = 0; i < parameters; i++) {
            if (all || declared.isMasked(i)) {
                masked.add(i);
            }
        }
        return Set.copyOf(masked);
    }

    /** The wire name. */
    public String name() {
        return name;
    }

    /** The wire name and the aliases. */
    public List<String> allNames() {
        List<String> names = new ArrayList<>();
        names.add(name);
        names.addAll(aliases);
        return names;
    }

    /** The annotation's options as payload members; always includes {@code queue}. */
    public Map<String, Object> options() {
        return options;
    }

    /** What the rule of a feature read from the method; null if the method says nothing of it. */
    @Internal
    public <R> @Nullable R rule(Class<R> type) {
        return type.cast(rules.get(type));
    }

    /** Whether its payloads have digests of arguments. */
    boolean hasDigest() {
        return hasDigest;
    }

    /** The class of the bean. */
    public Class<?> type() {
        return type;
    }

    /** The method as found. */
    public Method method() {
        return method;
    }

    /** The job's arguments: the method's parameters without the {@link JobContext}. */
    @Internal
    public List<ParameterType> parameters() {
        return parameters;
    }

    /** How many arguments a job must have: those up to the last parameter without a declared value. */
    public int requiredArguments() {
        int required = parameters.size();
        while (required > 0 && !parameters.get(required - 1).isRequired()) {
            required--;
        }
        return required;
    }

    /** How many arguments after those of the parameters are ignored. */
    public int ignoredArguments() {
        return ignoredArguments;
    }

    /** Whether no text that an execution leaves may be kept: of its failure, its log, its messages to a batch. */
    @Internal
    public boolean dropsTexts() {
        return dropsTexts;
    }

    /** The positions of the {@link Masked} arguments, from 0, and of the ignored ones; all of an encrypted job. */
    public Set<Integer> masked() {
        return masked;
    }

    /** Whether the method takes a {@link JobContext} as its last parameter. */
    public boolean takesContext() {
        return takesContext;
    }

    /** Whether the worker runs the method in pieces, so that an execution goes on where the one before ended. */
    public boolean isIterable() {
        return iterable;
    }

    /**
     * Calls the method and returns its result.
     *
     * @param arguments one value for each of {@link #parameters()}
     * @param context passed on if the method takes one
     * @throws Throwable whatever the method throws
     */
    public @Nullable Object invoke(@Nullable Object[] arguments, JobContext context) throws Throwable {
        if (!takesContext) {
            return invoker.invoke(arguments);
        }
        @Nullable Object[] all = new @Nullable Object[arguments.length + 1];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = context;
        return invoker.invoke(all);
    }

    /** The names of the class and the method, as in {@code com.acme.Emails.welcome}, for messages. */
    public String qualifiedMethodName() {
        return type.getName() + "." + method.getName();
    }

    @Override
    public String toString() {
        return name + " (" + qualifiedMethodName() + ")";
    }
}
