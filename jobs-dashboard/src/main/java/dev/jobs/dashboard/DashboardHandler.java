package dev.jobs.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.InvalidJobException;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Answers every request below the dashboard's path. It uses nothing that the application sets up for its own pages: no
 * view, no message converter, no error page. Each answer has the same headers, and no request is processed before its
 * sender is known.
 */
final class DashboardHandler implements HttpRequestHandler {

    private static final Logger log = LoggerFactory.getLogger(DashboardHandler.class);

    private static final String API = "api/";
    private static final String LIVE = "api/live";
    private static final String TEXT = "text/plain;charset=UTF-8";
    private static final Set<String> PAGES = Set.of(
            "",
            "queues",
            "queue",
            "scheduled",
            "retries",
            "dead",
            "job",
            "busy",
            "failures",
            "metrics",
            "metric",
            "recurring",
            "batches",
            "batch",
            "history",
            "limits",
            "limit",
            "trash");
    private static final Map<String, String> HEADERS = Map.of(
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
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    private final DashboardAccess access;
    private final Origin origin;
    private final Assets assets;
    private final Map<String, Route> routes;
    private final Sampler live;
    private final boolean readOnly;

    /** @param routes by method and path, as in {@code GET api/session} */
    DashboardHandler(
            DashboardAccess access,
            Origin origin,
            Assets assets,
            Map<String, Route> routes,
            Sampler live,
            boolean readOnly) {
        this.access = access;
        this.origin = origin;
        this.assets = assets;
        this.routes = Map.copyOf(routes);
        this.live = live;
        this.readOnly = readOnly;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
        HEADERS.forEach(response::setHeader);
        response.setHeader("Cache-Control", "no-store");
        String path = path(request);
        try {
            DashboardRole role = role(request);
            if (path.startsWith(API)) {
                api(path, request, response, role);
            } else {
                page(path, request, response);
            }
        } catch (Problem e) {
            refuse(path, response, e);
        } catch (JobStoreException e) {
            refuse(path, response, Problem.redis(e));
        } catch (JobsException e) {
            refuse(path, response, new Problem(409, "conflict", String.valueOf(e.getMessage())));
        } catch (RuntimeException | StackOverflowError e) {
            log.error(
                    "The dashboard failed to answer {} {}",
                    request.getMethod(),
                    path.startsWith(API) ? path : "a page",
                    e);
            refuse(path, response, new Problem(500, "internal", "The request failed; the log says why"));
        }
    }

    private static String path(HttpServletRequest request) {
        return request.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE) instanceof String path
                ? path
                : "";
    }

    private DashboardRole role(HttpServletRequest request) {
        DashboardRole role = access.roleOf(request);
        if (role == DashboardRole.NONE) {
            throw new Problem(
                    403,
                    "refused",
                    "You may not see this dashboard. Without Spring Security it is open to this machine only, with it to users who "
                            + "have one of the authorities in jobs.dashboard.viewers and jobs.dashboard.operators, and under the names "
                            + "in jobs.dashboard.hosts if there are any; see jobs.dashboard.access.");
        }
        return readOnly ? DashboardRole.VIEWER : role;
    }

    private void page(String path, HttpServletRequest request, HttpServletResponse response) throws IOException {
        String method = request.getMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            throw wrongMethod(response, "GET, HEAD");
        }
        boolean folder = request.getRequestURI().endsWith("/");
        if (path.isEmpty() && !folder) {
            toFolder(request, response);
            return;
        }
        // one level deeper, the relative addresses in the page would break
        if (PAGES.contains(path) && folder == path.isEmpty()) {
            send(request, response, assets.page());
            return;
        }
        Assets.Asset asset = folder ? null : assets.find(path);
        if (asset == null) {
            throw Problem.notFound("There is no such page");
        }
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", asset.etag());
        response.addHeader("Vary", "Accept-Encoding");
        String known = request.getHeader("If-None-Match");
        if (known != null && known.contains(asset.etag())) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
        } else {
            send(request, response, asset);
        }
    }

    /** All addresses in our pages are relative, so that they work behind any prefix; this one has to be, too. */
    private static void toFolder(HttpServletRequest request, HttpServletResponse response) {
        String uri = request.getRequestURI();
        response.setStatus(HttpServletResponse.SC_FOUND);
        response.setHeader("Location", "./" + uri.substring(uri.lastIndexOf('/') + 1) + "/");
    }

    private static void send(HttpServletRequest request, HttpServletResponse response, Assets.Asset asset)
            throws IOException {
        byte[] zipped = asset.zipped();
        String accepted = request.getHeader("Accept-Encoding");
        byte[] content = asset.content();
        if (zipped != null && accepted != null && accepted.contains("gzip") && !accepted.contains("gzip;q=0")) {
            response.setHeader("Content-Encoding", "gzip");
            content = zipped;
        }
        send(response, 200, asset.type(), content);
    }

    private void api(String path, HttpServletRequest request, HttpServletResponse response, DashboardRole role)
            throws IOException {
        String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
        boolean writes = !method.equals("GET");
        if (!(writes ? origin.mayWrite(request) : origin.mayRead(request))) {
            throw new Problem(403, "cross-site", "Only the dashboard's own pages may send this request");
        }
        if (path.equals(LIVE)) {
            if (!request.getMethod().equals("GET")) { // a HEAD would open a stream without a reader
                throw wrongMethod(response, "GET");
            }
            live.open(request, response);
            return;
        }
        Route route = routes.get(method + " " + path);
        if (route == null) {
            boolean known = routes.containsKey((writes ? "GET " : "POST ") + path);
            throw known ? wrongMethod(response, writes ? "GET" : "POST") : Problem.notFound("There is no " + path);
        }
        if (route.role().compareTo(role) > 0) {
            throw new Problem(403, "read-only", "You may look, but not act");
        }
        String actor = actor(request);
        ApiRequest apiRequest =
                writes ? ApiRequest.writing(request, role, actor) : ApiRequest.reading(request, role, actor);
        try {
            send(response, 200, "application/json", Json.bytes(route.endpoint().answer(apiRequest)));
        } catch (IllegalArgumentException | InvalidJobException e) {
            throw new Problem(400, "bad-parameter", String.valueOf(e.getMessage()));
        }
    }

    private static String actor(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        String name = principal == null ? null : principal.getName();
        return name != null ? name : String.valueOf(request.getRemoteAddr());
    }

    private static Problem wrongMethod(HttpServletResponse response, String allowed) {
        response.setHeader("Allow", allowed);
        return new Problem(405, "method", "Only " + allowed + " is allowed here");
    }

    private static void refuse(String path, HttpServletResponse response, Problem problem) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        if (path.startsWith(API)) {
            Object body = Map.of("error", Map.of("code", problem.code(), "message", problem.text()));
            send(response, problem.status(), "application/json", Json.bytes(body));
        } else {
            send(response, problem.status(), TEXT, problem.text().getBytes(UTF_8));
        }
    }

    private static void send(HttpServletResponse response, int status, String type, byte[] content) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(content.length);
        response.getOutputStream().write(content);
    }
}
