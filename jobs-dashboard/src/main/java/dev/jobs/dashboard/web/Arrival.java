package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request as its connection delivered it, regardless of what the application's filters make of it. */
@Internal
public interface Arrival {

    /** The address at the other end of the connection, as digits; null if it has none or isn't known. */
    @Nullable String address();

    /** As in {@code HTTP/1.1}. */
    String protocol();

    Set<String> headerNames();

    /** All values of a header, in whatever case its name is. */
    List<String> headers(String name);

    /** The part of the address behind the question mark; null if there is none. */
    @Nullable String query();

    /** Whether the server has another address of the sender, from a header that it may have removed or from a proxy. */
    boolean isReaddressed();
}
