package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Arrival;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request of a server that isn't known, so nothing is certain about it. */
@Internal
public final class UnknownArrival implements Arrival {

    @Override
    public @Nullable String address() {
        return null;
    }

    @Override
    public String protocol() {
        return "";
    }

    @Override
    public Set<String> headerNames() {
        return Set.of();
    }

    @Override
    public List<String> headers(String name) {
        return List.of();
    }

    @Override
    public @Nullable String query() {
        return null;
    }

    @Override
    public boolean isReaddressed() {
        return true;
    }
}
