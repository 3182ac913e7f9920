package dev.jobs.dashboard.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.ParameterType;
import dev.jobs.dashboard.web.Problem;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Arguments that people write: what they are asked for, and the check of what they wrote. */
@Internal
public final class WrittenArguments {

    /** Of one argument, in characters. */
    public static final int MOST_TEXT = 100_000;

    public static final int MOST = 200;
    private static final int MOST_CHOICES = 200;

    private static final String JSON = "json";
    private static final Set<Class<?>> TEXTS = Set.of(String.class, UUID.class, URI.class, BigDecimal.class);
    private static final Set<Class<?>> INTEGERS = Set.of(
            int.class,
            Integer.class,
            long.class,
            Long.class,
            short.class,
            Short.class,
            byte.class,
            Byte.class,
            BigInteger.class);
    private static final Set<Class<?>> NUMBERS = Set.of(double.class, Double.class, float.class, Float.class);

    /**
     * A parameter of a job.
     *
     * @param input how its value is asked for: {@code text}, {@code integer}, {@code number}, {@code flag},
     *     {@code choice} or {@code json}
     * @param choices the values of a choice as JSON
     * @param otherwise the JSON that counts if the argument is missing, or null if it must be there
     */
    public record Parameter(
            String name,
            String type,
            String input,
            List<String> choices,
            @Nullable String otherwise,
            boolean masked) {}

    private final KnownJobs known;

    public WrittenArguments(KnownJobs known) {
        this.known = known;
    }

    /** The parameters of a job of this application. */
    public List<Parameter> parameters(JobDefinition job) {
        List<Parameter> parameters = new ArrayList<>();
        for (ParameterType each : job.parameters()) {
            boolean masked = job.masked().contains(parameters.size());
            parameters.add(new Parameter(
                    each.name(),
                    simple(each.type()),
                    input(each.type()),
                    choices(job.codec(), each),
                    each.whenMissing(),
                    masked));
        }
        return parameters;
    }

    public static String simple(Type type) {
        return type instanceof Class<?> known ? known.getSimpleName() : type.getTypeName();
    }

    private static String input(Type type) {
        if (!(type instanceof Class<?> known)) {
            return JSON;
        }
        if (known == boolean.class || known == Boolean.class) {
            return "flag";
        }
        if (INTEGERS.contains(known)) {
            return "integer";
        }
        if (NUMBERS.contains(known)) {
            return "number";
        }
        boolean text = TEXTS.contains(known)
                || Temporal.class.isAssignableFrom(known)
                || TemporalAmount.class.isAssignableFrom(known);
        return known.isEnum() ? "choice" : text ? "text" : JSON;
    }

    private static List<String> choices(ArgumentCodec codec, ParameterType parameter) {
        if (!(parameter.type() instanceof Class<?> known) || !known.isEnum()) {
            return List.of();
        }
        return Arrays.stream(known.getEnumConstants())
                .limit(MOST_CHOICES)
                .map(each -> json(codec, each))
                .toList();
    }

    private static String json(ArgumentCodec codec, Object constant) {
        try {
            String list = new String(codec.encode(List.of(constant)), UTF_8);
            return list.substring(1, list.length() - 1);
        } catch (JsonException e) {
            throw new IllegalStateException(e); // it was checked when the job was found
        }
    }

    /**
     * Reads and checks the arguments of a job.
     *
     * @param written JSON texts; null for an argument that stays as it is
     * @param before the arguments that stay, at the same positions
     * @param most how many arguments the job takes if this application doesn't know it
     * @throws Problem if they are no arguments of the job; it quotes none of them
     */
    public List<@Nullable Object> read(
            String name, List<@Nullable String> written, List<@Nullable Object> before, OptionalInt most) {
        List<@Nullable Object> arguments = new ArrayList<>();
        for (String text : written) {
            int at = arguments.size();
            if (text == null && at >= before.size()) {
                throw refused("Argument " + (at + 1) + " is missing.");
            }
            arguments.add(text == null ? before.get(at) : value(at + 1, text));
        }
        if (known.definition(name).isEmpty() && most.isPresent() && arguments.size() > most.getAsInt()) {
            throw refused("The job takes " + most.getAsInt() + " arguments, but there are " + arguments.size() + ".");
        }
        try {
            byte[] encoded = JsonText.encode(arguments);
            JobDefinition reader = known.reader(name).orElse(null);
            if (reader != null) {
                reader.codec().decode(encoded, reader.parameters(), reader.ignoredArguments());
            }
        } catch (JsonException e) {
            throw refused("An argument is beyond what JSON can carry.");
        } catch (ArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        return arguments;
    }

    private static @Nullable Object value(int number, String text) {
        String value = text.strip();
        try {
            JsonObject holder = JsonObject.parse(("{\"value\":" + value + "}").getBytes(UTF_8));
            byte[] raw = holder.raw("value");
            // otherwise it is several values
            if (raw != null && holder.names().size() == 1 && new String(raw, UTF_8).equals(value)) {
                return holder.get("value");
            }
        } catch (JsonException e) {
            // reported below
        }
        throw refused("Argument " + number + " is not one JSON value.");
    }

    private static Problem refused(String message) {
        return new Problem(400, "bad-arguments", message);
    }
}
