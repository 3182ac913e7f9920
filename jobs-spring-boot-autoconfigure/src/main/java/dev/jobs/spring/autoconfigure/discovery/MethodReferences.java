package dev.jobs.spring.autoconfigure.discovery;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.JobMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.util.ClassUtils;

/** Finds the classes in which a reference such as {@code Emails::welcome} becomes a {@link JobMethod}. */
final class MethodReferences {

    private static final Logger log = LoggerFactory.getLogger(MethodReferences.class);

    /** What the descriptor of an instruction that makes such a reference contains. */
    private static final String INTERFACES = ClassUtils.convertClassNameToResourcePath(JobMethod.class.getName()) + "$";

    /** Where the compiler repeats all of them, for other objects than those that the application's code makes. */
    private static final String DESERIALIZATION = "$deserializeLambda$";

    private final ResourcePatternResolver classPath;

    MethodReferences(ClassLoader classLoader) {
        classPath = new PathMatchingResourcePatternResolver(classLoader);
    }

    /**
     * A class with references.
     *
     * @param type its name
     * @param interfaces the names of the interfaces that they implement
     */
    record Found(String type, SortedSet<String> interfaces) {

        /**
         * The metadata with which GraalVM lets {@link dev.jobs.JobRegistry} ask such a reference for its method. Spring
         * has a hint for lambdas, which names none of their methods.
         */
        byte[] metadata() {
            return interfaces.stream()
                    .map(each -> """
                            {
                              "type": {"lambda": {"declaringClass": "%s", "interfaces": ["%s"]}},
                              "methods": [{"name": "writeReplace", "parameterTypes": []}]
                            }""".formatted(type, each))
                    .collect(Collectors.joining(",\n", "{\"reflection\": [\n", "\n]}\n"))
                    .getBytes(UTF_8);
        }
    }

    /** @param pattern of class files, as in {@code com/example/*.class} */
    List<Found> in(String pattern) {
        List<Found> found = new ArrayList<>();
        try {
            for (Resource file : classPath.getResources(ResourcePatternResolver.CLASSPATH_ALL_URL_PREFIX + pattern)) {
                addTo(found, file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The class path can't be searched for " + pattern, e);
        }
        return found;
    }

    private static void addTo(Collection<Found> found, Resource file) throws IOException {
        byte[] content;
        try (InputStream in = file.getInputStream()) {
            content = in.readAllBytes();
        }
        if (!new String(content, ISO_8859_1).contains(INTERFACES)) {
            return; // as most; much faster than the reader
        }
        Search search = new Search();
        try {
            new ClassReader(content).accept(search, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IllegalArgumentException e) {
            log.warn("{} can't be read, so references to job methods in it fail in a native image", file, e);
            return;
        }
        if (!search.interfaces.isEmpty()) {
            found.add(new Found(search.type, search.interfaces));
        }
    }

    private static final class Search extends ClassVisitor {

        private final SortedSet<String> interfaces = new TreeSet<>();
        private String type = "";

        Search() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String superName, String[] superInterfaces) {
            type = ClassUtils.convertResourcePathToClassName(name);
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] exceptions) {
            if (method.equals(DESERIALIZATION)) {
                return null;
            }
            return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
                @Override
                public void visitInvokeDynamicInsn(
                        String name, String reference, Handle bootstrap, Object... bootstrapArguments) {
                    String made = Type.getReturnType(reference).getClassName();
                    if (reference.contains(INTERFACES) && bootstrap.getTag() == Opcodes.H_INVOKESTATIC) {
                        add(method, made);
                    }
                }
            };
        }

        private void add(String method, String made) {
            if (method.startsWith("<")) {
                log.warn(
                        "{} refers to a job method in {}, where GraalVM doesn't look for references, so the call fails "
                                + "in a native image; move the reference into a method",
                        type,
                        method.equals("<init>") ? "a constructor" : "a static initializer");
            } else {
                interfaces.add(made);
            }
        }
    }
}
