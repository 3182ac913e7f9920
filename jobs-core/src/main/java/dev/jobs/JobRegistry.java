package dev.jobs;

import dev.jobs.codec.ArgumentCodec;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The jobs of this application, by wire name and by method. Thread-safe. */
public final class JobRegistry {

    private static final Supplier<ArgumentSeal> UNSEALED = () -> ArgumentSeal.NONE;

    private final Map<String, JobDefinition> byName = new LinkedHashMap<>();
    private final List<JobDefinition> definitions;

    /** Each call site has a separate class for its method reference, so the class identifies the method. */
    private final Map<Class<?>, JobDefinition> byReference = new ConcurrentHashMap<>();

    private final Supplier<? extends Collection<? extends JobUpcaster>> upcasters;
    private final ArgumentCodec codec;

    /** Created at the first use, since beans may not exist before. */
    private volatile @Nullable Upcasting upcasting;

    /** Replaced once at most, before the first job: see {@link #sealIfOpen}. */
    private volatile Supplier<? extends ArgumentSeal> seal;

    /** Whether any job has a digest that may tell of masked arguments. */
    private final boolean hidesDigests;

    /** @throws JobDefinitionException if two methods have the same name or alias */
    @Internal
    public JobRegistry(Collection<JobDefinition> definitions) {
        this(definitions, List::of);
    }

    /**
     * @param upcasters in their order; asked when they are needed first
     * @throws JobDefinitionException if two methods have the same name or alias
     */
    @Internal
    public JobRegistry(
            Collection<JobDefinition> definitions, Supplier<? extends Collection<? extends JobUpcaster>> upcasters) {
        this(definitions, upcasters, new ArgumentCodec(), UNSEALED);
    }

    /**
     * @param upcasters in their order; asked when they are needed first
     * @param codec writes and reads arguments and results
     * @param seal of the arguments; asked for each job that needs it
     * @throws JobDefinitionException if two methods have the same name or alias
     */
    @Internal
    public JobRegistry(
            Collection<JobDefinition> definitions,
            Supplier<? extends Collection<? extends JobUpcaster>> upcasters,
            ArgumentCodec codec,
            Supplier<? extends ArgumentSeal> seal) {
        this.upcasters = upcasters;
        this.codec = codec;
        this.seal = seal;
        this.definitions = List.copyOf(definitions);
        this.hidesDigests = definitions.stream()
                .anyMatch(each -> each.hasDigest() && !each.masked().isEmpty());
        for (JobDefinition definition : definitions) {
            for (String name : definition.allNames()) {
                JobDefinition other = byName.putIfAbsent(name, definition);
                if (other != null && other != definition) {
                    throw sameName(name, other, definition);
                }
            }
        }
    }

    private static JobDefinitionException sameName(String name, JobDefinition one, JobDefinition other) {
        String what = "Two @Job methods have the name '" + name + "': ";
        if (!one.qualifiedMethodName().equals(other.qualifiedMethodName())
                || one.method().equals(other.method())) {
            return new JobDefinitionException(
                    what + one.qualifiedMethodName() + " and " + other.qualifiedMethodName(),
                    "Give one of them another name, as in @Job(\"Billing.welcome\").");
        }
        return new JobDefinitionException(
                what + one.qualifiedMethodName() + parameters(one) + " and " + other.qualifiedMethodName()
                        + parameters(other),
                "Rename one of these methods, since a method reference can't tell them apart; or give one of them "
                        + "another name, as in @Job(\"Billing.welcome\"), and enqueue both by name.");
    }

    private static String parameters(JobDefinition definition) {
        return Arrays.stream(definition.method().getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    /**
     * Finds the jobs of plain objects, for applications without Spring: the {@link Job} methods of their classes,
     * inherited ones and default methods of interfaces included, of any visibility.
     *
     * @throws JobDefinitionException if a method can't be used, or if two have the same name or alias
     */
    public static JobRegistry of(Object... targets) {
        return of(new ArgumentCodec(), targets);
    }

    /**
     * The same with a say in the JSON of their arguments and results.
     *
     * @throws JobDefinitionException if a method can't be used, or if two have the same name or alias
     * @throws IllegalStateException if the customizer turns on default typing
     */
    public static JobRegistry of(JobJsonCustomizer json, Object... targets) {
        return of(new ArgumentCodec(List.of(json)), targets);
    }

    private static JobRegistry of(ArgumentCodec codec, Object... targets) {
        return new JobRegistry(definitionsOf(codec, targets), List::of, codec, UNSEALED);
    }

    /** Writes and reads arguments and results. */
    @Internal
    public ArgumentCodec codec() {
        return codec;
    }

    /** The same registry with upcasters, in the order in which they are called. */
    public JobRegistry withUpcasters(JobUpcaster... inOrder) {
        List<JobUpcaster> all = List.of(inOrder);
        return new JobRegistry(definitions, () -> all, codec, seal);
    }

    /** The same registry, whose jobs have their arguments encrypted where they ask for it. */
    @Internal
    public JobRegistry withSeal(ArgumentSeal other) {
        return new JobRegistry(definitions, upcasters, codec, () -> other);
    }

    /**
     * Gives the registry a seal if it has none.
     *
     * @param other asked for each job that needs it
     */
    @Internal
    @SuppressWarnings("ReferenceEquality") // the one that stands for none
    public void sealIfOpen(Supplier<? extends ArgumentSeal> other) {
        if (seal == UNSEALED) {
            seal = other;
        }
    }

    private static List<JobDefinition> definitionsOf(ArgumentCodec codec, Object... targets) {
        List<JobDefinition> definitions = new ArrayList<>();
        for (Object target : targets) {
            Map<Method, Job> jobs = new LinkedHashMap<>();
            List<Method> companions = new ArrayList<>();
            for (Method method : methodsOf(target.getClass())) {
                Job job = method.getAnnotation(Job.class);
                if (job != null) {
                    jobs.put(method, job);
                } else {
                    JobRules.checkIsJob(method);
                    if (JobRules.isCompanion(method)) {
                        companions.add(method);
                    }
                }
            }
            if (jobs.isEmpty()) {
                JobRules.checkHasJobs(companions);
            }
            Search search = new Search(new Companion.Family(
                    List.copyOf(jobs.keySet()),
                    companions.stream()
                            .map(each -> new Companion(each, types(each), invoker(target, each)))
                            .toList()));
            jobs.forEach((method, job) -> definitions.add(JobDefinition.of(
                    job, search, codec, target.getClass(), method, types(method), invoker(target, method))));
        }
        return definitions;
    }

    /** Its own and inherited ones, without those that are overridden. */
    private static List<Method> methodsOf(Class<?> target) {
        List<Method> methods = new ArrayList<>();
        Set<String> overridden = new HashSet<>();
        for (Class<?> type = target; type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (!isVisibilityBridge(method) && overridden.add(method.getName() + descriptor(method))) {
                    methods.add(method);
                }
            }
        }
        methods.addAll(Stream.of(target.getMethods()).filter(Method::isDefault).toList());
        methods.removeIf(Method::isBridge);
        return methods;
    }

    /** Finds annotations as they are written, among the methods of one class. */
    private record Search(Companion.Family family) implements JobAnnotations.Search {

        @Override
        public <A extends Annotation> List<A> of(Method method, Class<A> type) {
            return PLAIN.of(method, type);
        }
    }

    private static List<Type> types(Method method) {
        return List.of(method.getGenericParameterTypes());
    }

    /**
     * Whether it only makes an inherited method of a class that is not public visible: it overrides nothing, so the
     * inherited method counts. Other bridges lead to a method of their own class, with other types.
     */
    private static boolean isVisibilityBridge(Method method) {
        return method.isBridge()
                && Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
                        .noneMatch(other -> !other.isBridge()
                                && other.getName().equals(method.getName())
                                && other.getParameterCount() == method.getParameterCount());
    }

    private static JobDefinition.Invoker invoker(Object target, Method method) {
        method.setAccessible(true);
        return arguments -> {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        };
    }

    /** Finds a job by its name or alias. */
    public Optional<JobDefinition> find(@Nullable String name) {
        return Optional.ofNullable(name == null ? null : byName.get(name));
    }

    /**
     * The names that upcasters are called for. Such a job runs here if the name it becomes is known.
     *
     * @throws JobDefinitionException if an upcaster has no names
     */
    public Set<String> upcastNames() {
        return upcasting().names();
    }

    /**
     * The job whose method reads the arguments of jobs of a name as they are stored. None if an upcaster changes them
     * first, or if no job here has that name: then they may be anything.
     */
    @Internal
    public Optional<JobDefinition> reader(String name) {
        return upcastNames().contains(name) ? Optional.empty() : find(name);
    }

    /** The job to run in place of a stored one; the same if no upcaster changes it. */
    public JobUpcaster.Stored upcast(JobUpcaster.Stored job) {
        return upcasting().upcast(job);
    }

    private Upcasting upcasting() {
        Upcasting known = upcasting;
        if (known == null) {
            known = new Upcasting(upcasters.get());
            upcasting = known;
        }
        return known;
    }

    /**
     * A new job as it may be stored: with its arguments and digests encrypted, if it is to be.
     *
     * @throws InvalidJobException if they can't be
     */
    @Internal
    public Payload sealed(Payload job) {
        if (ArgumentSeal.isWanted(job)) {
            find(job.name()).ifPresent(known -> known.checkKeysHideArguments(job.name()));
            return seal.get().sealed(job);
        }
        return hidesDigests && hidesDigest(job.name()) && !ArgumentSeal.isSealed(job)
                ? seal.get().keyed(job)
                : job;
    }

    private boolean hidesDigest(@Nullable String name) {
        return find(name)
                .filter(each -> each.hasDigest() && !each.masked().isEmpty())
                .isPresent();
    }

    /** What is stored of the digest of a key of a job. */
    @Internal
    public String storedDigest(String name, String digest) {
        return hidesDigests && hidesDigest(name) ? seal.get().digest(digest) : digest;
    }

    /**
     * The JSON text of the arguments of a stored job.
     *
     * @throws SealedArgumentsException if they are encrypted and can't be read
     */
    @Internal
    public byte[] arguments(Payload job) {
        return ArgumentSeal.isSealed(job) ? seal.get().opened(job) : job.rawArgs();
    }

    /** All jobs, in order of discovery. */
    public List<JobDefinition> definitions() {
        return definitions;
    }

    /**
     * Finds the job that a method reference names.
     *
     * @throws InvalidJobException if the reference is a lambda, or names no {@link Job} method of this application, or
     *     more than one
     */
    public JobDefinition resolve(JobMethod reference) {
        JobDefinition known = byReference.get(reference.getClass());
        if (known != null) {
            return known;
        }
        JobDefinition resolved = resolveSerialized(serialize(reference));
        byReference.put(reference.getClass(), resolved);
        return resolved;
    }

    private static SerializedLambda serialize(JobMethod reference) {
        try {
            Method writeReplace = reference.getClass().getDeclaredMethod("writeReplace");
            writeReplace.setAccessible(true);
            if (writeReplace.invoke(reference) instanceof SerializedLambda lambda) {
                return lambda;
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new InvalidJobException(
                    "Can't tell which method " + reference.getClass().getName()
                            + " refers to; pass a method reference such as Emails::welcome, or enqueue by name",
                    e);
        }
        throw new InvalidJobException(
                reference.getClass().getName() + " is not a method reference; pass one such as Emails::welcome");
    }

    private JobDefinition resolveSerialized(SerializedLambda lambda) {
        String method = lambda.getImplMethodName();
        String shown = lambda.getImplClass().replace('/', '.') + "::" + method;
        if (method.startsWith("lambda$")) {
            throw new InvalidJobException("A lambda can't be enqueued, since its code isn't stored (in "
                    + lambda.getCapturingClass().replace('/', '.')
                    + "); pass a reference to a @Job method such as Emails::welcome" + madeByCompiler(lambda));
        }
        // The instantiated type names the receiver as written in the source (Emails in Emails::welcome), even if the
        // method is inherited.
        String receiver = firstParameter(lambda.getInstantiatedMethodType());
        List<JobDefinition> sameMethod = new ArrayList<>();
        List<JobDefinition> exact = new ArrayList<>();
        for (JobDefinition definition : definitions) {
            if (definition.method().getName().equals(method)
                    && isSubtype(definition.type(), receiver)
                    && hasDescriptor(definition, lambda.getImplMethodSignature())) {
                sameMethod.add(definition);
                if (internalName(definition.type()).equals(receiver)) {
                    exact.add(definition);
                }
            }
        }
        List<JobDefinition> found = exact.isEmpty() ? sameMethod : exact;
        if (found.size() == 1) {
            return found.get(0);
        }
        if (found.isEmpty()) {
            throw new InvalidJobException(shown
                    + " is not a @Job method of a bean in this application; annotate it with @Job, make its class a "
                    + "bean, or enqueue by name if it runs elsewhere");
        }
        throw new InvalidJobException(shown + " may be any of "
                + found.stream().map(JobDefinition::toString).collect(Collectors.joining(", ")) + "; enqueue by name");
    }

    /** Whether its method has it, or one that the method overrides with other types. */
    private static boolean hasDescriptor(JobDefinition definition, String descriptor) {
        return OverriddenMethods.of(definition.type(), definition.method()).stream()
                .anyMatch(each -> descriptor(each).equals(descriptor));
    }

    /** What to do about a reference that the compiler turned into a lambda; empty if it can't be one. */
    private String madeByCompiler(SerializedLambda lambda) {
        String receiver = firstParameter(lambda.getInstantiatedMethodType());
        List<String> names = new ArrayList<>();
        boolean variable = false;
        for (JobDefinition definition : definitions) {
            Method method = definition.method();
            boolean hidden = !Modifier.isPublic(method.getDeclaringClass().getModifiers())
                    && !internalName(method.getDeclaringClass()).equals(receiver);
            if (isSubtype(definition.type(), receiver) && (hidden || method.isVarArgs())) {
                names.add("\"" + definition.name() + "\"");
                variable |= method.isVarArgs();
            }
        }
        if (names.isEmpty()) {
            return "";
        }
        return ". If it is one, the compiler made a lambda of it, as it does if the method takes variable arguments or is"
                + " inherited from a class that is not public: enqueue the job by its name (one of "
                + String.join(", ", names) + ")"
                + (variable
                        ? ", or put the reference into a variable first, as in JobMethod.P1<Emails, String[]>"
                        : "");
    }

    private static boolean isSubtype(@Nullable Class<?> type, String internalName) {
        if (type == null) {
            return false;
        }
        if (internalName(type).equals(internalName) || isSubtype(type.getSuperclass(), internalName)) {
            return true;
        }
        for (Class<?> each : type.getInterfaces()) {
            if (isSubtype(each, internalName)) {
                return true;
            }
        }
        return false;
    }

    private static String internalName(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    private static String firstParameter(String descriptor) {
        return descriptor.startsWith("(L") ? descriptor.substring(2, descriptor.indexOf(';')) : "";
    }

    private static String descriptor(Method method) {
        return MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .toMethodDescriptorString();
    }
}
