package dev.jobs.dashboard.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.dashboard.web.Arrival;
import dev.jobs.dashboard.web.WebRequest;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a sender has to show for local access: the token of the link in the log. People who may read the log of
 * this application have it; a stranger behind a proxy that looks like a local browser doesn't. A browser gets it in
 * exchange for the link, as a cookie; programs send it in a header.
 */
final class LinkToken {

    static final String HEADER = "Jobs-Token";

    private static final String PARAMETER = "token=";
    private static final String COOKIE = "jobs-token";
    private static final int BYTES = 24;

    private final String token;
    private final boolean random;

    /** @param chosen of that form; empty for another one with each start */
    LinkToken(String chosen, SecureRandom generator) {
        this.random = chosen.isEmpty();
        this.token = random ? random(generator) : chosen;
    }

    private static String random(SecureRandom generator) {
        byte[] bytes = new byte[BYTES];
        generator.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The last part of the link, for the log: one that was chosen is known, and has no business there. */
    String query() {
        return "?" + PARAMETER + (random ? token : "...");
    }

    /** Whether a request has it, in the address, a header or the cookie. */
    boolean isShownBy(Arrival arrival) {
        String cookie = cookie(first(arrival.headers("Host"))) + "=";
        return Stream.of(
                        parameters(arrival.query()).filter(each -> each.startsWith(PARAMETER)),
                        arrival.headers(HEADER).stream().map(value -> PARAMETER + value),
                        arrival.headers("Cookie").stream()
                                .flatMap(header -> Arrays.stream(header.split(";", -1)))
                                .map(String::strip)
                                .filter(each -> each.startsWith(cookie))
                                .map(each -> PARAMETER + each.substring(cookie.length())))
                .flatMap(shown -> shown)
                .anyMatch(this::isShown);
    }

    private boolean isShown(String parameter) {
        return MessageDigest.isEqual((PARAMETER + token).getBytes(UTF_8), parameter.getBytes(UTF_8));
    }

    /**
     * The header that gives a browser the cookie; null unless the address of the request has the token.
     *
     * @param path of the dashboard as the browser knows it
     */
    @Nullable String cookie(WebRequest request, String path) {
        return parameters(request.query()).anyMatch(this::isShown)
                ? cookie(request.header("Host")) + "=" + token + "; Path=" + path + "; HttpOnly; SameSite=Strict"
                : null;
    }

    /** The query of an address without any token, with its question mark; empty if nothing is left. */
    static String without(@Nullable String query) {
        String rest =
                parameters(query).filter(each -> !each.startsWith(PARAMETER)).collect(Collectors.joining("&"));
        return rest.isEmpty() ? "" : "?" + rest;
    }

    private static Stream<String> parameters(@Nullable String query) {
        return query == null ? Stream.of() : Arrays.stream(query.split("&", -1));
    }

    /** A browser sends a cookie to all ports of a host, and another application may have its dashboard at one. */
    private static String cookie(@Nullable String host) {
        String authority = Objects.requireNonNullElse(host, "").strip();
        String port = authority.substring(authority.lastIndexOf(':') + 1);
        return port.matches("[0-9]{1,5}") ? COOKIE + "-" + port : COOKIE;
    }

    private static @Nullable String first(List<String> values) {
        return values.isEmpty() ? null : values.get(0);
    }
}
