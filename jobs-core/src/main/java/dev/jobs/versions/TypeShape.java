package dev.jobs.versions;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Writes a type as text: its name, and the components of all records in it, whose change changes what can be read.
 */
final class TypeShape {

    private final Map<Class<?>, String> records = new LinkedHashMap<>();

    private TypeShape() {}

    static String of(Type type) {
        TypeShape shape = new TypeShape();
        shape.collect(type);
        StringJoiner text = new StringJoiner(" ");
        text.add(type.getTypeName());
        shape.records.forEach((each, components) -> text.add(each.getName() + components));
        return text.toString();
    }

    private void collect(Type type) {
        if (type instanceof ParameterizedType generic) {
            collect(generic.getRawType());
            for (Type argument : generic.getActualTypeArguments()) {
                collect(argument);
            }
        } else if (type instanceof GenericArrayType array) {
            collect(array.getGenericComponentType());
        } else if (type instanceof Class<?> plain && plain.isArray()) {
            collect(plain.getComponentType());
        } else if (type instanceof Class<?> plain && plain.isRecord() && !records.containsKey(plain)) {
            collectRecord(plain);
        }
    }

    private void collectRecord(Class<?> type) {
        records.put(type, ""); // it may contain itself
        StringJoiner components = new StringJoiner(",", "{", "}");
        for (RecordComponent each : type.getRecordComponents()) {
            components.add(each.getName() + ":" + each.getGenericType().getTypeName());
            collect(each.getGenericType());
        }
        records.put(type, components.toString());
    }
}
