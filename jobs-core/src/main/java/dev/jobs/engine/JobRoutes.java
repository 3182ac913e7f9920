package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.Payload;
import dev.jobs.codec.ActiveJobArguments;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.ParameterType;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the method for a stored job, after the upcasters, and reads its arguments. Makes no call to Redis. Thread-safe.
 */
@Internal
public final class JobRoutes {

    private static final byte[] NO_ARGUMENTS = {'[', ']'};

    private final JobRegistry registry;
    private final ArgumentCodec codec;

    /**
     * The way of a job to its method.
     *
     * @param name the stored name that counts: that of the job inside an envelope, unless the envelope's own is known
     * @param definition null if no job of that name is known here
     * @param arguments the JSON text of the arguments for it
     * @param failure why the arguments can't be read; null if they can or the job is unknown
     */
    public record Route(
            String name,
            @Nullable JobDefinition definition,
            byte[] arguments,
            @Nullable Throwable failure) {}

    public JobRoutes(JobRegistry registry, ArgumentCodec codec) {
        this.registry = registry;
        this.codec = codec;
    }

    /** Whether upcasters are called for a job. */
    public boolean isUpcast(String name, String inner) {
        return registry.upcastNames().contains(own(name, inner));
    }

    /** The method for a job that is not upcast; null if no job of that name is known here. */
    public @Nullable JobDefinition definition(String name, String inner) {
        return registry.find(own(name, inner)).orElse(null);
    }

    /** The stored name that counts. */
    private String own(String name, String inner) {
        return isKnown(name) ? name : inner;
    }

    /**
     * Calls the application, if upcasters read the job or its arguments are encrypted. Never throws: what upcasters
     * throw is part of the route.
     *
     * @param name that of the payload
     * @param inner the name of the job inside an envelope, else the same
     */
    public Route of(Payload payload, String name, String inner) {
        String own = own(name, inner);
        boolean inside = !own.equals(name);
        JobDefinition definition = registry.find(own).orElse(null);
        boolean upcasts = registry.upcastNames().contains(own);
        if (definition == null && !upcasts) {
            return new Route(own, null, NO_ARGUMENTS, null);
        }
        try {
            byte[] given = inside ? ActiveJobArguments.unwrap(payload.rawArgs()) : registry.arguments(payload);
            return upcasts ? upcast(own, given) : new Route(own, definition, given, null);
        } catch (Throwable e) {
            return new Route(own, definition, NO_ARGUMENTS, e);
        }
    }

    private boolean isKnown(String name) {
        return registry.find(name).isPresent() || registry.upcastNames().contains(name);
    }

    private Route upcast(String name, byte[] given) throws JsonException {
        Stored stored = new Stored(name, plain(given));
        Stored job = registry.upcast(stored);
        // Unchanged arguments keep their text, since a plain value may have fewer digits.
        byte[] arguments = job.arguments().equals(stored.arguments()) ? given : codec.encodeByName(job.arguments());
        return new Route(name, registry.find(job.name()).orElse(null), arguments, null);
    }

    /** A JSON array as plain values. */
    public static List<@Nullable Object> plain(byte[] arguments) {
        String json = "{\"args\":" + new String(arguments, StandardCharsets.UTF_8) + "}";
        return Payload.parse(json.getBytes(StandardCharsets.UTF_8)).args();
    }

    /**
     * Reads the arguments.
     *
     * @throws UnknownJobException if there is no method for the job
     * @throws ArgumentException if the arguments don't fit its parameters
     * @throws Throwable what an upcaster threw
     */
    @Nullable Object[] bind(ClaimedJob job, Route route) throws Throwable {
        JobDefinition definition = route.definition();
        try {
            if (route.failure() != null) {
                throw route.failure();
            }
            if (definition == null) {
                throw new UnknownJobException(job.name(), job.jid());
            }
            return codec.decode(route.arguments(), definition.parameters(), definition.ignoredArguments());
        } catch (ArgumentException e) {
            // the error comes first, because lists of failures show only the beginning
            throw new ArgumentException(
                    e.getMessage() + " (job " + OneLine.of(job.name()) + ", jid " + OneLine.of(job.jid()) + ")", e);
        }
    }

    /**
     * Binds null arguments for each known job, so that the first real job need not wait for classes to load. Never
     * throws.
     */
    void rehearse() {
        for (JobDefinition definition : registry.definitions()) {
            try {
                List<ParameterType> parameters = definition.parameters();
                String nulls = String.join(",", Collections.nCopies(parameters.size(), "null"));
                codec.decode(("[" + nulls + "]").getBytes(StandardCharsets.US_ASCII), parameters);
            } catch (Throwable e) {
                AnyFailure.passOutOfMemory(e); // other errors are reported when the job runs
            }
        }
    }
}
