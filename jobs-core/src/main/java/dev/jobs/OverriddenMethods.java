package dev.jobs;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what a method overrides or implements. */
@Internal
public final class OverriddenMethods {

    /** The type variables of the class and of all its supertypes, each with its erasure in the class. */
    private final Map<Class<?>, Map<TypeVariable<?>, Class<?>>> variables = new LinkedHashMap<>();

    private OverriddenMethods(Class<?> type) {
        add(type, Map.of());
    }

    /**
     * The method, then those of the same name and parameters in the class and its supertypes, the nearest one first.
     *
     * @param type a class that has the method, possibly by inheritance
     */
    public static List<Method> of(Class<?> type, Method method) {
        return new OverriddenMethods(type).all(method);
    }

    private List<Method> all(Method method) {
        List<Class<?>> types = types(method);
        List<Method> all = new ArrayList<>();
        all.add(method);
        for (Class<?> each : variables.keySet()) {
            for (Method other : each.getDeclaredMethods()) {
                if (!other.equals(method)
                        && other.getName().equals(method.getName())
                        && isOverridable(other)
                        && types(other).equals(types)) {
                    all.add(other);
                }
            }
        }
        return all;
    }

    private static boolean isOverridable(Method method) {
        return !method.isBridge()
                && !Modifier.isStatic(method.getModifiers())
                && !Modifier.isPrivate(method.getModifiers());
    }

    private List<Class<?>> types(Method method) {
        Map<TypeVariable<?>, Class<?>> known = variables.getOrDefault(method.getDeclaringClass(), Map.of());
        return Stream.of(method.getGenericParameterTypes())
                .<Class<?>>map(each -> erasure(each, known))
                .toList();
    }

    private void add(Class<?> type, Map<TypeVariable<?>, Class<?>> known) {
        if (variables.putIfAbsent(type, known) != null) {
            return;
        }
        for (Type each : type.getGenericInterfaces()) {
            addSupertype(each, known);
        }
        addSupertype(type.getGenericSuperclass(), known);
    }

    private void addSupertype(@Nullable Type type, Map<TypeVariable<?>, Class<?>> known) {
        if (type instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            Map<TypeVariable<?>, Class<?>> its = new HashMap<>();
            for (int i = 0; i < raw.getTypeParameters().length; i++) {
                its.put(raw.getTypeParameters()[i], erasure(generic.getActualTypeArguments()[i], known));
            }
            add(raw, its);
        } else if (type instanceof Class<?> plain && plain != Object.class) {
            add(plain, Map.of());
        }
    }

    private static Class<?> erasure(Type type, Map<TypeVariable<?>, Class<?>> known) {
        if (type instanceof Class<?> plain) {
            return plain;
        }
        if (type instanceof ParameterizedType generic) {
            return (Class<?>) generic.getRawType();
        }
        if (type instanceof GenericArrayType array) {
            return erasure(array.getGenericComponentType(), known).arrayType();
        }
        if (type instanceof WildcardType wildcard) {
            return erasure(wildcard.getUpperBounds()[0], known);
        }
        TypeVariable<?> variable = (TypeVariable<?>) type;
        Class<?> given = known.get(variable);
        return given != null ? given : erasure(variable.getBounds()[0], known);
    }
}
