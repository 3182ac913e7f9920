package dev.jobs;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The types of parameters as they are written in Kotlin. It compiles read-only collections of what isn't final with a
 * wildcard: {@code List<BigDecimal>} as {@code List<? extends BigDecimal>}.
 */
final class KotlinTypes {

    private KotlinTypes() {}

    /** The same types for a method that isn't Kotlin's. */
    static List<Type> of(Method method, List<? extends Type> types) {
        boolean kotlin = Stream.of(method.getDeclaringClass().getAnnotations())
                .anyMatch(each -> each.annotationType().getName().equals("kotlin.Metadata"));
        return kotlin ? types.stream().map(KotlinTypes::written).toList() : List.copyOf(types);
    }

    private static Type written(Type type) {
        if (type instanceof WildcardType wildcard && wildcard.getLowerBounds().length == 0) {
            return written(wildcard.getUpperBounds()[0]);
        }
        if (type instanceof GenericArrayType array) {
            return new ArrayOf(written(array.getGenericComponentType()));
        }
        if (type instanceof ParameterizedType generic) {
            List<Type> arguments = Stream.of(generic.getActualTypeArguments())
                    .map(KotlinTypes::written)
                    .toList();
            return new Generic(generic.getOwnerType(), (Class<?>) generic.getRawType(), arguments);
        }
        return type;
    }

    /** Equal to the JDK's own, as these ask for. */
    private record Generic(@Nullable Type owner, Class<?> raw, List<Type> arguments) implements ParameterizedType {

        @Override
        public Type[] getActualTypeArguments() {
            return arguments.toArray(Type[]::new);
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return owner;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ParameterizedType that
                    && Objects.equals(owner, that.getOwnerType())
                    && raw.equals(that.getRawType())
                    && Arrays.equals(getActualTypeArguments(), that.getActualTypeArguments());
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(getActualTypeArguments()) ^ Objects.hashCode(owner) ^ raw.hashCode();
        }

        @Override
        public String toString() {
            return arguments.stream()
                    .map(Type::getTypeName)
                    .collect(Collectors.joining(", ", raw.getName() + "<", ">"));
        }
    }

    private record ArrayOf(Type component) implements GenericArrayType {

        @Override
        public Type getGenericComponentType() {
            return component;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof GenericArrayType that && component.equals(that.getGenericComponentType());
        }

        @Override
        public int hashCode() {
            return component.hashCode();
        }

        @Override
        public String toString() {
            return component.getTypeName() + "[]";
        }
    }
}
