package dev.jobs.deaths;

import dev.jobs.Companion;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.Payload;
import dev.jobs.codec.ParameterType;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The method that is {@link OnDeath} of a job, and what it takes. Immutable. */
final class DeathMethod {

    /** What it may take besides arguments. */
    private static final Set<Type> MORE = Set.of(Throwable.class, Payload.class);

    private final Companion companion;
    private final String name;

    /** How many of the job's arguments it takes. */
    private final int arguments;

    private DeathMethod(Companion companion, JobDefinition job, int arguments) {
        this.companion = companion;
        this.name = nameOf(companion, job);
        this.arguments = arguments;
    }

    /** @throws JobDefinitionException if it can't take what it declares */
    static DeathMethod of(Companion companion, JobDefinition job) {
        List<Type> types = companion.types();
        int arguments = types.size();
        while (arguments > 0 && MORE.contains(types.get(arguments - 1))) {
            arguments--;
        }
        List<Type> more = types.subList(arguments, types.size());
        Set<Type> seen = new HashSet<>();
        for (Type each : more) {
            if (!seen.add(each)) {
                throw misfit(companion, job, "it takes two of " + each.getTypeName());
            }
        }
        List<ParameterType> given = job.parameters();
        for (int i = 0; i < arguments; i++) {
            String taken = "its parameter " + (i + 1) + " is a " + types.get(i).getTypeName();
            if (i >= given.size()) {
                String own = given.size() == 1 ? "1 argument" : given.size() + " arguments";
                throw misfit(companion, job, taken + ", and the job " + job.name() + " has " + own);
            }
            Type type = given.get(i).type();
            if (!types.get(i).equals(type)) {
                throw misfit(
                        companion, job, taken + ", and that of the job " + job.name() + " is a " + type.getTypeName());
            }
        }
        return new DeathMethod(companion, job, arguments);
    }

    private static JobDefinitionException misfit(Companion companion, JobDefinition job, String what) {
        return wrong(
                companion,
                job,
                what,
                "Take the job's arguments from the first one on, as many as you need, with their types; after these a"
                        + " Throwable and a Payload, if you need them.");
    }

    /** The error of a method, which can't be used. */
    static JobDefinitionException wrong(Companion companion, JobDefinition job, String what, String action) {
        return new JobDefinitionException(
                "The @OnDeath method " + nameOf(companion, job) + " can't be used: " + what, action);
    }

    private static String nameOf(Companion companion, JobDefinition job) {
        return job.type().getName() + "." + companion.method().getName();
    }

    /** How many of the job's arguments it takes, from the first one on. */
    int arguments() {
        return arguments;
    }

    /**
     * Calls it.
     *
     * @param given one value for each argument that it takes
     * @throws Throwable whatever the method throws
     */
    void call(@Nullable Object[] given, Payload payload, @Nullable Throwable failure) throws Throwable {
        List<Type> types = companion.types();
        @Nullable Object[] all = new @Nullable Object[types.size()];
        System.arraycopy(given, 0, all, 0, arguments);
        for (int i = arguments; i < all.length; i++) {
            all[i] = types.get(i) == Payload.class ? payload : failure;
        }
        companion.invoker().invoke(all);
    }

    /** The name of the method, without its class. */
    String shortName() {
        return companion.method().getName();
    }

    /** That name, and the types of the job's arguments that it takes. */
    String signature() {
        return companion.types().subList(0, arguments).stream()
                .map(Type::getTypeName)
                .collect(Collectors.joining(", ", shortName() + "(", ")"));
    }

    /** The names of the job's class and of the method, for messages. */
    @Override
    public String toString() {
        return name;
    }
}
