package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.codec.ArrivalCheck.Difference;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts the arguments of a job into a JSON array, and back into values for the parameters of its method.
 *
 * <p>Writing is exact: text, numbers and nesting that Ruby or we could not read again are refused. Reading is strict:
 * nothing is rounded, cut or converted to another type, with two exceptions: an integer fits a floating-point
 * parameter, and text fits a {@link java.math.BigDecimal} or {@link java.math.BigInteger}. Unknown members of objects
 * are ignored and missing ones are null or zero, so that types can grow while jobs wait. Text never names a class to
 * load.
 *
 * <p>The codec has its own mapper, since the settings of an application's mapper would change the stored text. Safe for
 * use by several threads.
 */
@Internal
public final class ArgumentCodec {

    /** Two containers enclose each argument: the payload and the array of arguments. */
    private static final int OUTER_DEPTH = 2;

    private static final String OTHER_TYPE = "it contains values of another type than its parameter declares";

    private final JsonMapper mapper;
    private final ObjectWriter writer;
    private final ObjectWriter writerByName;
    private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();
    private final Map<Type, CarriedType> types = new ConcurrentHashMap<>();
    private final SureValues sureValues;
    private final ArrivalCheck arrival;
    private final CanonicalValues canonical;
    private final StoredMembers members;

    /** A codec with nothing of the application's. */
    public ArgumentCodec() {
        this(List.of());
    }

    /**
     * A codec whose mapper the application changes first, and the rules of this class afterwards.
     *
     * @throws IllegalStateException if a customizer turns on default typing
     */
    public ArgumentCodec(List<? extends Consumer<JsonMapper.Builder>> customizers) {
        this.mapper = StrictMapper.create(customizers);
        this.writer = mapper.writer();
        this.writerByName = StrictMapper.create(customizers, new TextKeys()).writer();
        this.sureValues = new SureValues(mapper, !customizers.isEmpty());
        this.arrival = new ArrivalCheck(mapper.getTypeFactory(), this::plain);
        this.canonical = new CanonicalValues(mapper);
        this.members = new StoredMembers(mapper, !customizers.isEmpty());
    }

    /** Makes stored values that it reads as equal ones equal, for keys. */
    public CanonicalValues canonical() {
        return canonical;
    }

    /** The members that it writes. */
    public StoredMembers members() {
        return members;
    }

    /**
     * Encodes values of unknown types as the text of a JSON array.
     *
     * @throws JsonException if a value inside them can't be stored as JSON
     */
    public byte[] encode(List<? extends @Nullable Object> args) throws JsonException {
        return encode(args, List.of(), false);
    }

    /**
     * Encodes arguments for a known method as the text of a JSON array.
     *
     * @param parameters those of the method
     * @throws JsonException if a value inside them can't be stored as JSON, or if the method would get another value
     */
    public byte[] encode(List<? extends @Nullable Object> args, List<ParameterType> parameters) throws JsonException {
        return encode(args, parameters, false);
    }

    /**
     * Encodes arguments of a job known only by name, as the text of a JSON array. Its parameters are unknown, so the
     * keys of maps must be text or enum constants.
     *
     * @throws JsonException if a value inside them can't be stored as JSON
     */
    public byte[] encodeByName(List<? extends @Nullable Object> args) throws JsonException {
        return encode(args, List.of(), true);
    }

    /**
     * Encodes arguments of a job by name whose method is known. Texts, numbers, lists and maps stand for their JSON,
     * which the parameters have to be able to read; other values must arrive as they are.
     *
     * @throws JsonException if a value inside them can't be stored as JSON, or if the method could not read it or would
     *     get another value
     */
    public byte[] encodeByName(List<? extends @Nullable Object> args, List<ParameterType> parameters)
            throws JsonException {
        return encode(args, parameters, true);
    }

    /**
     * Encodes what a method returned.
     *
     * @param declared what the method is declared to return, as which its result is read; if that leaves the type open,
     *     the reader names one
     * @throws JsonException if the value or a value inside it can't be stored as JSON, or would be read as another one
     */
    public byte[] encodeResult(Object value, Type declared) throws JsonException {
        List<ParameterType> types =
                ParameterCheck.isOpen(declared) ? List.of() : List.of(new ParameterType("result", declared));
        byte[] list = encode(List.of(value), types, false);
        return Arrays.copyOfRange(list, 1, list.length - 1);
    }

    private byte[] encode(List<? extends @Nullable Object> args, List<ParameterType> parameters, boolean byName)
            throws JsonException {
        JsonBuffer out = new JsonBuffer(128);
        out.raw('[');
        int number = 0;
        for (Object arg : args) {
            ParameterType parameter = number < parameters.size() ? parameters.get(number) : null;
            CarriedType type = parameter == null ? null : type(parameter.type());
            if (number++ > 0) {
                out.raw(',');
            }
            int begin = out.length();
            if (JsonText.isScalar(arg)) {
                writePlain(out, arg, number);
            } else {
                writeBean(out, arg, number, writerOf(type, arg, byName));
            }
            if (parameter != null && type != null && !type.surely(arg, byName)) {
                checkArrival(out.textFrom(begin), arg, number, parameter, byName);
            }
        }
        out.raw(']');
        return out.toBytes();
    }

    private CarriedType type(Type declared) {
        CarriedType type = types.get(declared);
        return type != null
                ? type
                : types.computeIfAbsent(declared, each -> {
                    JavaType known = mapper.constructType(each);
                    return new CarriedType(
                            known,
                            writer.forType(known),
                            writerByName.forType(known),
                            sureValues.carriesNull(known),
                            sureValues.of(known));
                });
    }

    private ObjectWriter writerOf(@Nullable CarriedType type, Object arg, boolean byName) {
        if (type != null && type.saysMoreThan(arg)) {
            return byName ? type.writerByName() : type.writer();
        }
        return byName ? writerByName : writer;
    }

    /** Reads what was written, as the job will, and compares. */
    private void checkArrival(String json, @Nullable Object arg, int number, ParameterType parameter, boolean byName)
            throws JsonException {
        String shown = "Argument " + number + " (" + ArgumentErrors.named(parameter) + ") can't be stored";
        Difference difference;
        try (JsonParser parser = mapper.createParser(json)) {
            parser.nextToken();
            Object back = bind(parser, number, parameter);
            difference = arg instanceof RawJson
                    ? null
                    : arrival.find(type(parameter.type()).type(), arg, back, byName);
        } catch (ArgumentException e) {
            throw new JsonException(
                    shown + ", since the job could not read it" + ArgumentErrors.reasonOf(e)
                            + " Pass a value that it reads, or declare another type.",
                    e);
        } catch (StackOverflowError e) {
            throw refused(number, "", JsonText.tooDeep().reason(), null);
        } catch (ClassCastException e) {
            throw refused(number, "", OTHER_TYPE, e);
        }
        if (difference != null) {
            throw new JsonException(shown + JsonPath.at(difference.path()) + ": " + difference.reason() + ".");
        }
    }

    /** A value as plain values, for comparing. */
    private @Nullable Object plain(Object value) {
        JsonBuffer out = new JsonBuffer(128);
        try {
            writeBean(out, value, 1, writer);
            return JsonText.decode(out.toBytes());
        } catch (JsonException e) {
            return e;
        }
    }

    /**
     * Decodes the text of a JSON array into one value for each parameter.
     *
     * @throws ArgumentException if there are more arguments than parameters, or one does not fit its parameter or is
     *     missing
     */
    public @Nullable Object[] decode(byte[] rawArgs, List<ParameterType> parameters) throws ArgumentException {
        return decode(rawArgs, parameters, 0);
    }

    /**
     * Decodes the text of a JSON array into one value for each parameter.
     *
     * <p>A null argument becomes an empty Optional, the zero value of a primitive type, or null. A missing one becomes
     * what its parameter declares.
     *
     * @param ignored how many arguments after those of the parameters are ignored
     * @throws ArgumentException if there are more arguments than that, or one does not fit its parameter or is missing
     */
    public @Nullable Object[] decode(byte[] rawArgs, List<ParameterType> parameters, int ignored)
            throws ArgumentException {
        @Nullable Object[] values = new Object[parameters.size()];
        if (values.length == 0 && rawArgs.length == 2 && rawArgs[0] == '[' && rawArgs[1] == ']') {
            return values; // doesn't need a parser
        }
        int index = 0;
        try (JsonParser parser = mapper.createParser(new String(rawArgs, UTF_8))) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                throw new ArgumentException("The arguments are not a JSON array.");
            }
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (index < values.length) {
                    values[index] = bind(parser, index + 1, parameters.get(index));
                } else if (index < values.length + ignored) {
                    parser.skipChildren();
                } else {
                    throw tooMany(parser, index, parameters);
                }
                index++;
            }
            if (parser.nextToken() != null) {
                throw new ArgumentException("The arguments are followed by more text.");
            }
        } catch (JacksonException e) {
            throw new ArgumentException("The arguments are not valid JSON.");
        }
        int given = index;
        for (; index < values.length; index++) {
            values[index] = bindMissing(given, index + 1, parameters.get(index));
        }
        return values;
    }

    /**
     * Reads a value that was written by hand: text if the parameter's type is stored as text, else JSON.
     *
     * @return its JSON text
     * @throws ArgumentException if it is neither for this parameter
     */
    public String readDefault(ParameterType parameter, String text) throws ArgumentException {
        JsonBuffer quoted = new JsonBuffer(text.length() + 2);
        quoted.string(text);
        String json = new String(quoted.toBytes(), UTF_8);
        try {
            decode(("[" + json + "]").getBytes(UTF_8), List.of(parameter));
            return json;
        } catch (ArgumentException e) {
            decode(("[" + text + "]").getBytes(UTF_8), List.of(parameter));
            return text;
        }
    }

    /**
     * Checks that JSON can carry values of a parameter's type.
     *
     * @throws ArgumentException if it can't carry any value of the type
     */
    public void check(ParameterType parameter) throws ArgumentException {
        new ParameterCheck(mapper, parameter).run();
    }

    private static void writePlain(JsonBuffer out, @Nullable Object arg, int number) throws JsonException {
        try {
            JsonText.write(out, arg, OUTER_DEPTH);
        } catch (Unwritable e) {
            throw refused(number, e.path(), e.reason(), null);
        }
    }

    private void writeBean(JsonBuffer out, Object arg, int number, ObjectWriter beans) throws JsonException {
        JsonTextGenerator generator = new JsonTextGenerator(out, mapper._serializationContext(), OUTER_DEPTH);
        try {
            beans.writeValue(generator, arg);
        } catch (Unwritable e) {
            throw refused(number, generator.path(), e.reason(), null);
        } catch (JacksonException e) {
            if (e.getCause() instanceof Unwritable unwritable) {
                throw refused(number, generator.path(), unwritable.reason(), null);
            }
            throw refused(number, ArgumentErrors.path(e), ArgumentErrors.unwritable(e), e.getCause());
        } catch (StackOverflowError e) {
            throw refused(number, "", JsonText.tooDeep().reason(), null);
        } catch (ClassCastException e) {
            throw refused(number, "", OTHER_TYPE, e);
        }
    }

    private static JsonException refused(int number, String path, String reason, @Nullable Throwable cause) {
        return new JsonException("Argument " + number + JsonPath.at(path) + " can't be stored: " + reason + ".", cause);
    }

    private @Nullable Object bind(JsonParser parser, int number, ParameterType parameter) throws ArgumentException {
        Type type = parameter.type();
        try {
            // for the most frequent types without a reader, which would do the same after creating its context
            switch (parser.currentToken()) {
                case VALUE_STRING -> {
                    if (type == String.class) {
                        return parser.getString();
                    }
                }
                case VALUE_NUMBER_INT -> {
                    if (type == int.class || type == Integer.class) {
                        return parser.getIntValue();
                    }
                    if (type == long.class || type == Long.class) {
                        return parser.getLongValue();
                    }
                }
                default -> {}
            }
            return reader(type).readValue(parser);
        } catch (JacksonException e) {
            throw ArgumentErrors.unfit(number, parameter, parser, e);
        }
    }

    private @Nullable Object bindMissing(int given, int number, ParameterType parameter) throws ArgumentException {
        String value = parameter.whenMissing();
        if (value == null) {
            throw new ArgumentException("Argument " + number + " (" + ArgumentErrors.named(parameter)
                    + ") is missing: the job has " + (given == 1 ? "1 argument" : given + " arguments")
                    + ". If the parameter was added, declare its value for jobs of former versions: with"
                    + " @JobParam(defaultValue = \"…\"), as an Optional, or as @Nullable.");
        }
        try (JsonParser parser = mapper.createParser(value)) {
            parser.nextToken();
            return bind(parser, number, parameter);
        }
    }

    private ObjectReader reader(Type type) {
        ObjectReader reader = readers.get(type);
        return reader != null ? reader : readers.computeIfAbsent(type, t -> mapper.readerFor(mapper.constructType(t)));
    }

    private static ArgumentException tooMany(JsonParser parser, int index, List<ParameterType> parameters) {
        int count = index;
        do {
            parser.skipChildren();
            count++;
        } while (parser.nextToken() != JsonToken.END_ARRAY);
        String names = parameters.stream().map(ParameterType::name).collect(Collectors.joining(", "));
        return new ArgumentException((count == 1 ? "There is 1 argument" : "There are " + count + " arguments")
                + ", but the method takes "
                + (parameters.isEmpty() ? "none" : parameters.size() + " (" + names + ")") + ".");
    }
}
