package dev.jobs.codec;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;

/** Searches one parameter's type, down to the last property, for types that JSON can't carry. */
final class ParameterCheck {

    private final JsonMapper mapper;
    private final DeserializationContext context;
    private final ParameterType parameter;
    private final Set<JavaType> seen = new HashSet<>();

    ParameterCheck(JsonMapper mapper, ParameterType parameter) {
        this.mapper = mapper;
        this.context = mapper._deserializationContext();
        this.parameter = parameter;
    }

    void run() throws ArgumentException {
        refuseOpen(parameter.type());
        visit(mapper.constructType(parameter.type()), "");
    }

    /** Whether a type is left open anywhere. */
    static boolean isOpen(Type type) {
        if (type instanceof GenericArrayType array) {
            return isOpen(array.getGenericComponentType());
        }
        return type instanceof WildcardType
                || type instanceof TypeVariable
                || type instanceof ParameterizedType generic
                        && Arrays.stream(generic.getActualTypeArguments()).anyMatch(ParameterCheck::isOpen);
    }

    private void refuseOpen(Type type) throws ArgumentException {
        if (type instanceof WildcardType || type instanceof TypeVariable) {
            throw refused("", ArgumentErrors.named(type) + " leaves the type open; name a concrete type");
        }
        if (type instanceof GenericArrayType array) {
            refuseOpen(array.getGenericComponentType());
        }
        if (type instanceof ParameterizedType generic) {
            for (Type argument : generic.getActualTypeArguments()) {
                refuseOpen(argument);
            }
        }
    }

    private void visit(@Nullable JavaType type, String path) throws ArgumentException {
        if (type == null || type.hasRawClass(Object.class) || !seen.add(type)) {
            return;
        }
        refuseUncarried(type, path);
        if (type.getKeyType() != null) {
            // keys have other rules than values; Jackson applies them when it builds the map's deserializer
            refuseUncarried(type.getKeyType(), path + "[key]");
        }
        visit(type.getContentType(), path + "[…]");
        visitDeserializer(type, path);
    }

    private void refuseUncarried(JavaType type, String path) throws ArgumentException {
        String reason = UncarriedTypes.reason(type.getRawClass());
        if (reason != null) {
            throw refused(path, reason + "; take the data itself, or an id to find it by");
        }
    }

    private void visitDeserializer(JavaType type, String path) throws ArgumentException {
        ValueDeserializer<?> deserializer;
        try {
            deserializer = context.findRootValueDeserializer(type);
        } catch (JacksonException e) {
            throw refused(path, e.getOriginalMessage());
        }
        if (deserializer instanceof AbstractDeserializer) {
            throw refused(
                    path,
                    ArgumentErrors.named(type.getRawClass())
                            + " is abstract, so nothing says what to create; take a record or another concrete class, or let"
                            + " JSON name the class: with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) on it"
                            + (type.getRawClass().isSealed() ? "" : " and @JsonSubTypes"));
        }
        if (deserializer instanceof BeanDeserializerBase bean) {
            String reason = UncarriedTypes.reasonAgainstBean(type.getRawClass());
            if (reason != null) {
                throw refused(
                        path,
                        ArgumentErrors.named(type.getRawClass()) + " can't be read: " + reason
                                + "; take the data itself, or an id to find it by");
            }
            if (!bean.getValueInstantiator().canInstantiate()) {
                throw refused(
                        path,
                        ArgumentErrors.named(type.getRawClass())
                                + " has no constructor to create it with; take a record, or give it one without parameters");
            }
            for (Iterator<SettableBeanProperty> it = bean.properties(); it.hasNext(); ) {
                SettableBeanProperty property = it.next();
                visit(property.getType(), path + JsonPath.name(property.getName()));
            }
        }
    }

    private ArgumentException refused(String path, String reason) {
        return new ArgumentException("Parameter " + ArgumentErrors.named(parameter) + " can't be carried by JSON"
                + JsonPath.at(path) + ": " + reason + ".");
    }
}
