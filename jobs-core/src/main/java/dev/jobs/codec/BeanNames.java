package dev.jobs.codec;

import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AccessorNamingStrategy;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.DefaultAccessorNamingStrategy;

/**
 * Lets Jackson see accessors such as {@code geteMail}, which is how the rules for beans name that of a field {@code
 * eMail}. Jackson leaves them out, since a method such as {@code getaway} is none: here the field decides.
 */
final class BeanNames extends DefaultAccessorNamingStrategy.Provider {

    private static final long serialVersionUID = 1L;

    @Override
    public AccessorNamingStrategy forPOJO(MapperConfig<?> config, AnnotatedClass type) {
        Set<String> fields = new HashSet<>();
        for (Class<?> each = type.getRawType(); each != null; each = each.getSuperclass()) {
            for (var field : each.getDeclaredFields()) {
                fields.add(field.getName());
            }
        }
        return new DefaultAccessorNamingStrategy.Provider()
                .withBaseNameValidator((first, name, offset) ->
                        !Character.isLowerCase(first) || fields.contains(name.substring(offset)))
                .forPOJO(config, type);
    }
}
