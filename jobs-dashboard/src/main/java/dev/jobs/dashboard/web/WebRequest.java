package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/** A request as the dashboard needs it, from whichever kind of web application. */
@Internal
public interface WebRequest {

    /**
     * A token that the application requires with every request that changes something.
     *
     * @param header the name of the header that carries it
     */
    record Token(String header, String token) {}

    /**
     * What the application keeps for the sender.
     *
     * @param token null if it requires none
     * @param idle the seconds after which it ends the session of a user who asks for nothing; null if nothing ends, as
     *     without a user or a session
     */
    record Session(@Nullable Token token, @Nullable Integer idle) {}

    String method();

    /** Below the path of the dashboard, without a slash in front. */
    String path();

    /** The whole path as it was sent. */
    String uri();

    /** The part behind the question mark as it was sent; null if there is none. */
    @Nullable String query();

    /** The first value of a header. */
    @Nullable String header(String name);

    /** The name of the user; null if there is none. */
    @Nullable String user();

    /** What people call the sender; null if the application doesn't say. */
    @Nullable String person();

    /** The address of the sender as the application sees it, which may trust a proxy. */
    String address();

    /** The sender's preferred language, such as {@code de}. */
    String language();

    /** May begin a session, and may block. */
    Session session();
}
