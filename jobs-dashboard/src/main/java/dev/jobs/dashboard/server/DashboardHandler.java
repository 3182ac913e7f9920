package dev.jobs.dashboard.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.access.Entrance;
import dev.jobs.dashboard.access.Origin;
import dev.jobs.dashboard.server.Installations.Target;
import dev.jobs.dashboard.web.Actor;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Json;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Sender;
import dev.jobs.dashboard.web.WebRequest;
import dev.jobs.dashboard.web.Zip;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how to answer every request below the dashboard's path, in every kind of web application. It uses nothing
 * that the application sets up for its own pages: no view, no message converter, no error page. Each answer has the
 * same headers, and no request is processed before its sender is known.
 */
@Internal
public final class DashboardHandler {

    /** What follows from the head of a request. */
    public sealed interface Next permits Answer, Call, Live {}

    /**
     * A call of the API, which may wait for Redis.
     *
     * @param hasBody whether the body is part of the call: {@link ApiRequest#MOST_BODY} bytes at most
     */
    public record Call(WebRequest request, Installation installation, Route route, DashboardRole role, boolean hasBody)
            implements Next {}

    /** A stream of the live numbers of an installation, which starts with these headers. */
    public record Live(Installation installation, Map<String, String> headers) implements Next {}

    private static final Logger log = LoggerFactory.getLogger(DashboardHandler.class);

    /** Of the mapping: before the application's own ones, which may include one for all paths. */
    public static final int ORDER = -100;

    private static final String API = "api/";
    private static final String LIVE = "api/live";
    /** A year; in the user's browser only, since not everyone may see the files. */
    private static final String FOR_EVER = "private, max-age=31536000, immutable";

    private static final String TEXT = "text/plain;charset=UTF-8";
    private static final String JSON = "application/json";
    /** What every answer has. */
    private static final Map<String, String> HEADERS = Map.of(
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    /** What every answer has that a browser could show as a page. For a small script it would be twice its size. */
    private static final Map<String, String> PAGE_HEADERS = Map.of(
            "Content-Security-Policy",
            String.join(
                    "; ",
                    List.of(
                            "default-src 'none'",
                            "script-src 'self'",
                            "style-src 'self'",
                            "img-src 'self'",
                            "font-src 'self'",
                            "connect-src 'self'",
                            "manifest-src 'self'",
                            "base-uri 'none'",
                            "form-action 'none'",
                            "frame-ancestors 'none'",
                            "require-trusted-types-for 'script'",
                            "trusted-types 'none'")),
            "X-Frame-Options",
            "DENY",
            "Cross-Origin-Opener-Policy",
            "same-origin");

    private final Entrance entrance;
    private final Origin origin;
    private final Assets assets;
    private final Installations installations;
    private final boolean readOnly;

    public DashboardHandler(
            Entrance entrance, Origin origin, Assets assets, Installations installations, boolean readOnly) {
        this.entrance = entrance;
        this.origin = origin;
        this.assets = assets;
        this.installations = installations;
        this.readOnly = readOnly;
    }

    /** Decides by the head of a request, without waiting for anything but the sender's role. Never throws. */
    public Next receive(WebRequest request, Supplier<DashboardRole> sender) {
        try {
            DashboardRole role = sender.get();
            Target target = installations.target(request.path());
            boolean api = target.path().startsWith(API);
            if (role == DashboardRole.NONE && !api && entrance.asksOnceMore(request)) {
                return answer(200, Map.of("Refresh", "0"), TEXT, "Once more".getBytes(UTF_8));
            }
            DashboardRole allowed = role(role);
            return api ? api(request, target, allowed) : page(request, target);
        } catch (RuntimeException | StackOverflowError e) {
            return refusal(request, e);
        }
    }

    /** The answer to a call. Waits for Redis, and never throws. */
    public Answer answer(Call call, byte[] body) {
        WebRequest request = call.request();
        try {
            Actor actor = actor(request);
            String installation = call.installation().audited();
            ApiRequest apiRequest = call.hasBody()
                    ? ApiRequest.writing(request, call.role(), actor, installation, body)
                    : ApiRequest.reading(request, call.role(), actor, installation);
            return data(request, Json.bytes(call.route().endpoint().answer(apiRequest)));
        } catch (IllegalArgumentException | InvalidJobException e) {
            return refusal(request, new Problem(400, "bad-parameter", String.valueOf(e.getMessage())));
        } catch (RuntimeException | StackOverflowError e) {
            return refusal(request, e);
        }
    }

    /** The answer to a request that failed. */
    public Answer refusal(WebRequest request, Throwable failure) {
        boolean api = installations.target(request.path()).path().startsWith(API);
        Problem problem = problem(failure);
        if (problem == null) {
            log.error(
                    "The dashboard failed to answer {} {}", request.method(), api ? request.path() : "a page", failure);
            problem = new Problem(500, "internal", "The request failed; the log says why");
        }
        String allowed = problem.allowed();
        Map<String, String> headers = allowed == null ? Map.of() : Map.of("Allow", allowed);
        return api
                ? json(
                        problem.status(),
                        headers,
                        Map.of("error", Map.of("code", problem.code(), "message", problem.text())))
                : answer(problem.status(), headers, TEXT, problem.text().getBytes(UTF_8));
    }

    private static @Nullable Problem problem(Throwable failure) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof JobStoreException e) {
            return Problem.redis(e);
        }
        return failure instanceof JobsException e ? new Problem(409, "conflict", String.valueOf(e.getMessage())) : null;
    }

    private DashboardRole role(DashboardRole role) {
        if (role == DashboardRole.NONE) {
            throw entrance.refusal();
        }
        return readOnly ? DashboardRole.VIEWER : role;
    }

    private Answer page(WebRequest request, Target target) {
        String path = target.path();
        boolean own = target.installation().isOwn();
        boolean folder = request.uri().endsWith("/");
        // one level deeper, the relative addresses in the page would break
        boolean isPage = target.installation().pages().contains(path) && (path.isEmpty() || !folder);
        Assets.Asset asset =
                own && !folder ? assets.find(path) : null; // the pages of all installations share the files
        if (!isPage && asset == null) {
            throw Problem.notFound("There is no such page");
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw Problem.wrongMethod("GET, HEAD");
        }
        Map<String, String> admitted = isPage ? entrance.exchange(request) : null;
        if (admitted != null) {
            return new Answer(302, with(admitted), new byte[0]);
        }
        if (asset == null) {
            return path.isEmpty() && !folder ? toFolder(request.uri()) : file(request, Map.of(), assets.page(!own));
        }
        Map<String, String> headers = Map.of(
                "Cache-Control",
                assets.isFinal(path) ? FOR_EVER : "no-cache",
                "ETag",
                asset.etag(),
                "Vary",
                "Accept-Encoding");
        String known = request.header("If-None-Match");
        return known != null && known.contains(asset.etag())
                ? new Answer(304, with(headers), new byte[0])
                : file(request, headers, asset);
    }

    /** All addresses in our pages are relative, so that they work behind any prefix; this one has to be, too. */
    private static Answer toFolder(String uri) {
        String location = "./" + uri.substring(uri.lastIndexOf('/') + 1) + "/";
        return new Answer(302, with(Map.of("Location", location)), new byte[0]);
    }

    private static Answer file(WebRequest request, Map<String, String> headers, Assets.Asset asset) {
        Map<String, String> all = with(headers);
        if (asset.isPart()) {
            all.keySet().removeAll(PAGE_HEADERS.keySet());
        }
        all.put("Content-Type", asset.type());
        byte[] zipped = asset.zipped();
        if (zipped == null || !Zip.isAccepted(request)) {
            return new Answer(200, all, asset.content());
        }
        all.put("Content-Encoding", "gzip");
        return new Answer(200, all, zipped);
    }

    private Next api(WebRequest request, Target target, DashboardRole role) {
        String path = target.path();
        Installation installation = target.installation();
        String method = request.method().equals("HEAD") ? "GET" : request.method();
        boolean writes = !method.equals("GET");
        if (!(writes ? origin.mayWrite(request) : origin.mayRead(request))) {
            throw new Problem(403, "cross-site", "Only the dashboard's own pages may send this request");
        }
        if (path.equals(LIVE)) {
            if (!request.method().equals("GET")) { // a HEAD would open a stream without a reader
                throw Problem.wrongMethod("GET");
            }
            // or nginx holds events back
            return new Live(
                    installation,
                    with(Map.of("Content-Type", "text/event-stream;charset=UTF-8", "X-Accel-Buffering", "no")));
        }
        Map<String, Route> routes = installation.routes();
        Route route = routes.get(method + " " + path);
        if (route == null) {
            boolean known = routes.containsKey((writes ? "GET " : "POST ") + path);
            throw known ? Problem.wrongMethod(writes ? "GET" : "POST") : Problem.notFound("There is no " + path);
        }
        if (route.role().compareTo(role) > 0) {
            throw new Problem(403, "read-only", "You may look, but not act");
        }
        if (writes) {
            ApiRequest.checkHeaders(request);
        }
        return new Call(request, installation, route, role, writes);
    }

    private static Actor actor(WebRequest request) {
        String user = request.user();
        return new Actor(user != null ? user : Sender.brief(request.address()), request.person());
    }

    /**
     * Data that a page asked for. Pages ask again and again, and the rows of a list are much alike. Only our own pages
     * may ask, so nobody can make a user's browser try out what compresses well beside a secret.
     */
    private static Answer data(WebRequest request, byte[] json) {
        return Zip.isWorthIt(json) && Zip.isAccepted(request)
                ? answer(200, Map.of("Content-Encoding", "gzip", "Vary", "Accept-Encoding"), JSON, Zip.fast(json))
                : answer(200, Map.of(), JSON, json);
    }

    private static Answer json(int status, Map<String, String> headers, @Nullable Object value) {
        return answer(status, headers, JSON, Json.bytes(value));
    }

    private static Answer answer(int status, Map<String, String> headers, String type, byte[] content) {
        Map<String, String> all = with(headers);
        all.put("Content-Type", type);
        return new Answer(status, all, content);
    }

    /** With those that every answer has, as one that could be shown as a page. */
    private static Map<String, String> with(Map<String, String> headers) {
        Map<String, String> all = new HashMap<>(HEADERS);
        all.putAll(PAGE_HEADERS);
        all.put("Cache-Control", "no-store");
        all.putAll(headers);
        return all;
    }
}
