package dev.jobs.sample;

import dev.jobs.sample.ReflectiveCall.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsPublisher;

/**
 * The shop, which writes down its reflective calls: those that Jobs makes, and those that Spring, Jackson and the
 * validator make on classes of Jobs and of the shop. Needs Spring's agent.
 */
public final class TracedShop {

    /** A system property: the file. */
    static final String FILE = "traced-shop.file";

    private static final String OURS = "dev.jobs.";

    private TracedShop() {}

    public static void main(String[] arguments) throws IOException {
        PrintWriter file = new PrintWriter(Files.newBufferedWriter(Path.of(System.getProperty(FILE))), true);
        Set<ReflectiveCall> known = ConcurrentHashMap.newKeySet();
        observe(call -> {
            if (known.add(call)) {
                file.println(call.line());
            }
        });
        ShopApplication.main(arguments);
    }

    @SuppressWarnings("removal") // there is no other agent but that of GraalVM
    private static void observe(Consumer<ReflectiveCall> calls) {
        RecordedInvocationsPublisher.addListener(
                invocation -> call(invocation, caller(invocation)).ifPresent(calls));
    }

    @SuppressWarnings("removal")
    private static String caller(RecordedInvocation invocation) {
        return invocation
                .getStackFrames()
                .map(StackWalker.StackFrame::getClassName)
                .filter(each -> !each.startsWith("org.springframework.aot.agent."))
                .findFirst()
                .orElse("");
    }

    @SuppressWarnings("removal")
    private static Optional<ReflectiveCall> call(RecordedInvocation invocation, String caller) {
        if (caller.contains("$Proxy")) {
            return Optional.empty(); // native images have the proxies of annotations in them
        }
        Object target = invocation.isStatic() ? "" : invocation.getInstance();
        boolean byUs = caller.startsWith(OURS);
        if (target instanceof Method method) {
            return mine(byUs, method.getDeclaringClass(), method.getName(), Kind.METHOD, method.getParameterTypes());
        }
        if (target instanceof Constructor<?> constructor) {
            return mine(byUs, constructor.getDeclaringClass(), "<init>", Kind.METHOD, constructor.getParameterTypes());
        }
        if (target instanceof Field field) {
            return mine(byUs, field.getDeclaringClass(), field.getName(), Kind.FIELD);
        }
        String method = invocation.getMethodReference().getMethodName();
        if (method.contains("esource")) {
            return resource(byUs, target, invocation.getArgument(0));
        }
        // Spring asks classes for methods that they may not have. A class without metadata has none, which is no loss:
        // what Spring then calls is a call of its own.
        if (target instanceof Class<?> type && !caller.startsWith("org.springframework.")) {
            return mine(byUs, type, "", Kind.TYPE);
        }
        return Optional.empty();
    }

    private static Optional<ReflectiveCall> mine(
            boolean byUs, Class<?> type, String member, Kind kind, Class<?>... parameters) {
        if (!byUs && !type.getName().startsWith(OURS)) {
            return Optional.empty();
        }
        int lambda = type.getName().indexOf("$$Lambda");
        return Optional.of(
                lambda < 0
                        ? ReflectiveCall.of(kind, type, member, parameters)
                        : new ReflectiveCall(
                                Kind.LAMBDA,
                                type.getName().substring(0, lambda),
                                member,
                                ReflectiveCall.names(type.getInterfaces())));
    }

    private static Optional<ReflectiveCall> resource(boolean byUs, Object target, String name) {
        String path = target instanceof Class<?> type && !name.startsWith("/")
                ? type.getPackageName().replace('.', '/') + "/" + name
                : name.replaceFirst("^/", "");
        return byUs || path.startsWith("dev/jobs/") ? Optional.of(ReflectiveCall.resource(path)) : Optional.empty();
    }
}
