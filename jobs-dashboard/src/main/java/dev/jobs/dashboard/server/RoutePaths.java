package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The paths of a function that routes requests, put together while Spring walks through it. Conditions other than paths
 * are passed over, since the dashboard takes all requests. Not thread-safe.
 */
@Internal
public final class RoutePaths {

    private final TakenPath taken;
    private final String bean;

    /** Of the functions around the current one. */
    private final Deque<List<String>> prefixes = new ArrayDeque<>();

    private final List<String> paths = new ArrayList<>();
    private int negated;

    /** @param bean the name of the function */
    public RoutePaths(TakenPath taken, String bean) {
        this.taken = taken;
        this.bean = bean;
        prefixes.push(List.of(""));
    }

    /** A path in the current condition. */
    public void path(String pattern) {
        if (negated == 0) {
            paths.add(pattern);
        }
    }

    /** What follows is excluded, until the same is said to end. */
    public void startNegate() {
        negated++;
    }

    public void endNegate() {
        negated--;
    }

    /** The current condition is that of further functions. */
    public void startNested() {
        prefixes.push(take());
    }

    public void endNested() {
        prefixes.pop();
    }

    /** The current condition is that of a handler. */
    public void route() {
        take().forEach(path -> taken.add(Set.of(), path, bean));
    }

    private List<String> take() {
        List<String> own = paths.isEmpty() ? List.of("") : List.copyOf(paths);
        paths.clear();
        return prefixes.getFirst().stream()
                .flatMap(prefix -> own.stream().map(path -> prefix + path))
                .toList();
    }
}
