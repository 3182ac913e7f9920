package dev.jobs;

import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.ParameterType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of a job method: their types, and their values for jobs stored without their arguments. */
final class DeclaredParameters {

    private static final String NULLABLE = "Nullable";

    private DeclaredParameters() {}

    /**
     * @param types those of the job's arguments, type variables resolved
     * @param texts what the texts of declared defaults mean
     * @param codec reads these
     * @throws ArgumentException if a default can't be read, or never applies
     */
    static List<ParameterType> of(Method method, List<Type> types, UnaryOperator<String> texts, ArgumentCodec codec)
            throws ArgumentException {
        Parameter[] declared = method.getParameters();
        List<ParameterType> parameters = new ArrayList<>();
        String hasDefault = null;
        for (int i = 0; i < types.size(); i++) {
            ParameterType parameter = parameter(declared[i], types.get(i), texts, codec);
            parameters.add(parameter);
            if (parameter.isRequired() && hasDefault != null) {
                throw new ArgumentException("the default of its parameter '" + hasDefault
                        + "' never applies, since the parameter '" + parameter.name() + "' after it has none");
            }
            if (declared[i].isAnnotationPresent(JobParam.class)) {
                hasDefault = parameter.name();
            }
        }
        return List.copyOf(parameters);
    }

    private static ParameterType parameter(
            Parameter declared, Type type, UnaryOperator<String> texts, ArgumentCodec codec) throws ArgumentException {
        ParameterType plain = new ParameterType(declared.getName(), type);
        JobParam given = declared.getAnnotation(JobParam.class);
        if (given != null) {
            return new ParameterType(plain.name(), type, read(plain, texts.apply(given.defaultValue()), codec));
        }
        boolean nullable = isNullable(declared) && !declared.getType().isPrimitive();
        return nullable ? new ParameterType(plain.name(), type, "null") : plain;
    }

    private static @Nullable String read(ParameterType parameter, String text, ArgumentCodec codec)
            throws ArgumentException {
        try {
            return codec.readDefault(parameter, text);
        } catch (ArgumentException e) {
            throw new ArgumentException(
                    "the default '" + text + "' of its parameter '" + parameter.name() + "' can't be read: "
                            + e.getMessage(),
                    e);
        }
    }

    /** By the name alone, as other tools do: there are many such annotations. */
    private static boolean isNullable(Parameter declared) {
        return Stream.of(declared.getAnnotations(), declared.getAnnotatedType().getAnnotations())
                .flatMap(Stream::of)
                .map(Annotation::annotationType)
                .anyMatch(each -> each.getSimpleName().equals(NULLABLE));
    }
}
