package dev.jobs.sample;

import java.util.List;

/**
 * Something that a native image can only do if its metadata say so.
 *
 * @param type the name of the class; of a lambda, that of the class in which it is written; empty for a resource
 * @param member what is used: a method's name, {@code <init>}, a field's name, a resource; empty for the class itself
 * @param detail a method's parameter types; a lambda's interfaces
 */
record ReflectiveCall(Kind kind, String type, String member, String detail) {

    /** What is used. */
    enum Kind {
        TYPE,
        METHOD,
        FIELD,
        LAMBDA,
        RESOURCE
    }

    static ReflectiveCall of(Kind kind, Class<?> type, String member, Class<?>... detail) {
        return new ReflectiveCall(kind, type.getName(), member, names(detail));
    }

    static ReflectiveCall resource(String name) {
        return new ReflectiveCall(Kind.RESOURCE, "", name, "");
    }

    static String names(Class<?>... types) {
        return String.join(",", List.of(types).stream().map(Class::getTypeName).toList());
    }

    String line() {
        return String.join("\t", kind.name(), type, member, detail);
    }

    static ReflectiveCall parse(String line) {
        String[] parts = line.split("\t", -1);
        return new ReflectiveCall(Kind.valueOf(parts[0]), parts[1], parts[2], parts[3]);
    }
}
