package dev.jobs.codec;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** Rewords Jackson's errors: the messages name the argument, the position and the types, but never quote a value. */
final class ArgumentErrors {

    private static final Pattern COMMON_PACKAGE = Pattern.compile("\\bjava\\.(lang|math|time|util)\\.(?=[A-Z])");

    private static final String UNFIT = ") does not fit";

    private ArgumentErrors() {}

    /** The error for an argument that can't become its parameter's type; the parser is still at the failed token. */
    static ArgumentException unfit(int number, ParameterType parameter, JsonParser parser, JacksonException e) {
        String path = path(e);
        Throwable cause = e.getCause();
        // the application's own exceptions explain the error; those of Jackson and the JDK quote the value
        boolean foreign =
                e instanceof ValueInstantiationException && cause != null && !(cause instanceof JacksonException);
        return new ArgumentException(
                "Argument " + number + " (" + named(parameter) + UNFIT + JsonPath.at(path) + ": " + reason(parser, e)
                        + ".",
                foreign ? cause : null);
    }

    /** Where in the argument and why, from the message of {@link #unfit}. */
    static String reasonOf(ArgumentException unfit) {
        String message = String.valueOf(unfit.getMessage());
        return message.substring(message.indexOf(UNFIT) + UNFIT.length());
    }

    static String named(ParameterType parameter) {
        return parameter.name() + ": " + named(parameter.type());
    }

    static String named(Type type) {
        return COMMON_PACKAGE.matcher(type.getTypeName()).replaceAll("");
    }

    /** Why Jackson could not write a value, worded for the caller who passed it. */
    static String unwritable(JacksonException e) {
        Throwable cause = e.getCause();
        if (e instanceof InvalidDefinitionException || cause == null || cause instanceof JacksonException) {
            // the advice in brackets concerns settings that the caller can't change
            return e.getOriginalMessage().replaceFirst(" \\(to avoid exception, .*", "");
        }
        return "reading its properties failed with " + cause;
    }

    /** The path to the failed value; keys of maps are data, so it doesn't name them. */
    static String path(JacksonException e) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference reference : e.getPath()) {
            Object owner = reference.from();
            boolean map = owner instanceof Map || owner instanceof Class<?> type && Map.class.isAssignableFrom(type);
            if (reference.getPropertyName() == null) {
                path.append(reference.getIndex() < 0 ? "[…]" : JsonPath.index(reference.getIndex()));
            } else {
                path.append(map ? "[key]" : JsonPath.name(reference.getPropertyName()));
            }
        }
        return path.toString();
    }

    private static String reason(JsonParser parser, JacksonException e) {
        String found = found(parser.currentToken());
        if (e instanceof InputCoercionException coercion) {
            return "the number is out of the range of " + named(coercion.getTargetType());
        }
        if (e instanceof InvalidTypeIdException) {
            return "it asks for a subtype by a name that is not declared";
        }
        if (e instanceof InvalidDefinitionException) {
            return e.getOriginalMessage();
        }
        if (e instanceof ValueInstantiationException instantiation) {
            Throwable cause = e.getCause();
            return "creating " + named(instantiation.getType().getRawClass()) + " failed"
                    + (cause == null ? "" : " with " + cause.getClass().getName());
        }
        if (e instanceof MismatchedInputException mismatch) {
            Class<?> target = mismatch.getTargetType();
            return found + " can't be read as " + (target == null ? "this type" : named(target));
        }
        if (e instanceof StreamConstraintsException) {
            return e.getOriginalMessage();
        }
        if (e instanceof StreamReadException) {
            return "it is not valid JSON";
        }
        Throwable cause = e.getCause();
        return "binding it failed"
                + (cause == null ? "" : " with " + cause.getClass().getName());
    }

    private static String found(@Nullable JsonToken token) {
        if (token == null) {
            return "the value";
        }
        return switch (token) {
            case VALUE_STRING -> "text";
            case VALUE_NUMBER_INT -> "an integer";
            case VALUE_NUMBER_FLOAT -> "a number with a fraction or an exponent";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            case START_ARRAY -> "an array";
            case START_OBJECT -> "an object";
            default -> "the value";
        };
    }
}
