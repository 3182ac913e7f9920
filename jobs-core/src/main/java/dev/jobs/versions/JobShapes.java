package dev.jobs.versions;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.codec.ParameterType;
import dev.jobs.processes.PublishedJobs;
import dev.jobs.processes.PublishedJobs.Shape;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Describes the jobs of this application for other processes. */
@Internal
public final class JobShapes {

    private static final int DIGEST_BYTES = 4;

    private JobShapes() {}

    public static PublishedJobs of(JobRegistry registry) {
        Map<String, Shape> shapes = new TreeMap<>();
        for (JobDefinition definition : registry.definitions()) {
            Shape shape = new Shape(definition.parameters().size(), digest(signature(definition)));
            definition.allNames().forEach(name -> shapes.put(name, shape));
        }
        for (String name : registry.upcastNames()) {
            Shape own = shapes.get(name);
            shapes.put(name, new Shape(-1, digest("upcast " + (own == null ? "" : own.digest()))));
        }
        return new PublishedJobs(shapes);
    }

    /**
     * What determines which arguments the job can read: the types of its parameters, with the components of records,
     * their declared values, and the number of ignored arguments. Names don't matter.
     */
    private static String signature(JobDefinition definition) {
        StringJoiner signature = new StringJoiner("; ");
        for (ParameterType parameter : definition.parameters()) {
            signature.add(
                    TypeShape.of(parameter.type()) + (parameter.isRequired() ? "" : " = " + parameter.whenMissing()));
        }
        return signature + " + " + definition.ignoredArguments();
    }

    private static String digest(String text) {
        try {
            byte[] whole = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return HexFormat.of().formatHex(whole, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Writes a type as text: its name, and the components of all records in it, whose change changes what can be read.
     */
    private static final class TypeShape {

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
}
