package dev.jobs.codec;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AccessorNamingStrategy;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.DefaultAccessorNamingStrategy;

/**
 * Names the members of beans by their fields, where accessors leave room for doubt.
 *
 * <p>The rules for beans name the getter of a field {@code eMail} {@code geteMail}, which Jackson leaves out, since
 * {@code getaway} is none; Lombok and Kotlin name it {@code getEMail}, which Jackson takes for a member {@code EMail},
 * another one than the parameter {@code eMail} of a constructor. That of Kotlin's {@code isOpen} is {@code isOpen},
 * which Jackson takes for a member {@code open}.
 */
final class BeanNames extends DefaultAccessorNamingStrategy {

    private final Set<String> fields;

    private BeanNames(MapperConfig<?> config, AnnotatedClass type, Set<String> fields) {
        super(
                config,
                type,
                "set",
                "get",
                "is",
                (first, name, offset) -> !Character.isLowerCase(first) || fields.contains(name.substring(offset)));
        this.fields = fields;
    }

    @Override
    public @Nullable String findNameForIsGetter(AnnotatedMethod method, String name) {
        return named(super.findNameForIsGetter(method, name));
    }

    @Override
    public @Nullable String findNameForRegularGetter(AnnotatedMethod method, String name) {
        return named(super.findNameForRegularGetter(method, name));
    }

    @Override
    public @Nullable String findNameForMutator(AnnotatedMethod method, String name) {
        return named(super.findNameForMutator(method, name));
    }

    private @Nullable String named(@Nullable String found) {
        if (found == null || found.isEmpty() || fields.contains(found)) {
            return found;
        }
        String rest = found.substring(1);
        String lower = Character.toLowerCase(found.charAt(0)) + rest;
        String is = "is" + Character.toUpperCase(found.charAt(0)) + rest;
        return fields.contains(lower) ? lower : fields.contains(is) ? is : found;
    }

    /** Creates them for beans; those of records and builders are Jackson's own. */
    static final class Provider extends DefaultAccessorNamingStrategy.Provider {

        private static final long serialVersionUID = 1L;

        @Override
        public AccessorNamingStrategy forPOJO(MapperConfig<?> config, AnnotatedClass type) {
            Set<String> fields = new HashSet<>();
            for (Class<?> each = type.getRawType(); each != null && each != Object.class; each = each.getSuperclass()) {
                for (Field field : each.getDeclaredFields()) {
                    fields.add(field.getName());
                }
            }
            return new BeanNames(config, type, Set.copyOf(fields));
        }
    }
}
