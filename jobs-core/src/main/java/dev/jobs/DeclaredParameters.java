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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of a job method: their types, their values for jobs stored without their arguments, and which are
 * confidential. Annotations count where the method has them, and where one does that it overrides or implements.
 */
final class DeclaredParameters {

    private static final String NULLABLE = "Nullable";

    /** Those of the method itself first. */
    private final List<Parameter[]> declared;

    /** @param type the class of the bean */
    DeclaredParameters(Class<?> type, Method method) {
        this.declared = OverriddenMethods.of(type, method).stream()
                .map(Method::getParameters)
                .toList();
    }

    /**
     * @param types those of the job's arguments, type variables resolved
     * @param texts what the texts of declared defaults mean
     * @param codec reads these
     * @throws ArgumentException if a default can't be read, or never applies
     */
    List<ParameterType> of(List<Type> types, UnaryOperator<String> texts, ArgumentCodec codec)
            throws ArgumentException {
        List<ParameterType> parameters = new ArrayList<>();
        String hasDefault = null;
        for (int i = 0; i < types.size(); i++) {
            ParameterType parameter = parameter(i, types.get(i), texts, codec);
            parameters.add(parameter);
            if (parameter.isRequired() && hasDefault != null) {
                throw new ArgumentException("the default of its parameter '" + hasDefault
                        + "' never applies, since the parameter '" + parameter.name() + "' after it has none");
            }
            if (annotations(i, JobParam.class).findAny().isPresent()) {
                hasDefault = parameter.name();
            }
        }
        return List.copyOf(parameters);
    }

    /** Whether one of the job's arguments is {@link Masked}. */
    boolean isMasked(int index) {
        return annotations(index, Masked.class).findAny().isPresent();
    }

    /** Whether a parameter asks that no text be kept. */
    boolean dropsTexts() {
        return IntStream.range(0, declared.get(0).length)
                .boxed()
                .flatMap(each -> annotations(each, Masked.class))
                .anyMatch(Masked::dropTexts);
    }

    private <A extends Annotation> Stream<A> annotations(int index, Class<A> type) {
        return declared.stream().flatMap(each -> Stream.of(each[index].getAnnotationsByType(type)));
    }

    private ParameterType parameter(int index, Type type, UnaryOperator<String> texts, ArgumentCodec codec)
            throws ArgumentException {
        Parameter own = declared.get(0)[index];
        ParameterType plain = new ParameterType(own.getName(), type);
        JobParam given = annotations(index, JobParam.class).findFirst().orElse(null);
        if (given != null) {
            return new ParameterType(plain.name(), type, read(plain, texts.apply(given.defaultValue()), codec));
        }
        boolean nullable = !own.getType().isPrimitive() && declared.stream().anyMatch(each -> isNullable(each[index]));
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
