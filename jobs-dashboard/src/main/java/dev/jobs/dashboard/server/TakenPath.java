package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;

/**
 * Collects what the application itself has at the path of the dashboard, or below it. The dashboard would answer those
 * requests, and nobody would know. What begins with a variable or a wildcard, such as {@code /**}, is no obstacle: it
 * has always left the more specific paths to others. Not thread-safe.
 */
@Internal
public final class TakenPath {

    /** Part of the package, with Boot 3.5 and with Boot 4, of what answers for endpoints. */
    private static final String ACTUATOR = ".actuate.endpoint.web.";

    private final String path;
    private final Set<String> mappings = new TreeSet<>();

    /** @param path of the dashboard */
    public TakenPath(String path) {
        this.path = path;
    }

    /**
     * A mapping of the application's.
     *
     * @param methods that it is for; none for all
     * @param pattern of its paths
     * @param handler who answers: an object, or the name of its bean
     */
    public void add(Set<RequestMethod> methods, String pattern, Object handler) {
        String absolute = pattern.startsWith("/") ? pattern : "/" + pattern;
        if (absolute.equals(path) || absolute.startsWith(path + "/") || absolute.startsWith(path + "*")) {
            String prefix = methods.isEmpty()
                    ? ""
                    : methods.stream().map(Enum::name).sorted().collect(Collectors.joining(",")) + " ";
            mappings.add(prefix + absolute + ": " + name(handler));
        }
    }

    private static String name(Object handler) {
        if (handler instanceof String bean) {
            return "bean '" + bean + "'";
        }
        if (handler instanceof HandlerMethod method) {
            String type = method.getBeanType().getName();
            return type.contains(ACTUATOR)
                    ? method.getBean().toString() // tells the endpoint
                    : type + "#" + method.getMethod().getName();
        }
        return handler.getClass().getName();
    }

    /** @throws TakenPathException if there is such a mapping */
    public void check() {
        if (!mappings.isEmpty()) {
            throw new TakenPathException(path, mappings);
        }
    }
}
