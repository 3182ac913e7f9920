package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.DashboardAccess;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.DashboardUsers;
import dev.jobs.dashboard.access.KnownHosts;
import dev.jobs.dashboard.server.Answer;
import dev.jobs.dashboard.server.DashboardHandler;
import dev.jobs.dashboard.server.Installation;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.WebRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.HttpRequestHandler;

/** Serves the dashboard in a Spring MVC application. */
final class ServletDashboard implements HttpRequestHandler {

    private final DashboardHandler handler;
    private final KnownHosts hosts;
    private final DashboardAccess access;
    private final ServletTokens tokens;
    private final DashboardUsers users;
    private final ServletStreams streams;

    ServletDashboard(
            DashboardHandler handler,
            KnownHosts hosts,
            DashboardAccess access,
            ServletTokens tokens,
            DashboardUsers users,
            ServletStreams streams) {
        this.handler = handler;
        this.hosts = hosts;
        this.access = access;
        this.tokens = tokens;
        this.users = users;
        this.streams = streams;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ServletWebRequest web = new ServletWebRequest(request, tokens, users);
        DashboardHandler.Next next = handler.receive(web, () -> role(request));
        if (next instanceof DashboardHandler.Call call) {
            next = handler.answer(call, call.hasBody() ? body(request) : new byte[0]);
        } else if (next instanceof DashboardHandler.Live live) {
            next = open(web, request, response, live);
        }
        if (next instanceof Answer answer && !response.isCommitted()) {
            send(response, answer);
        }
    }

    private DashboardRole role(HttpServletRequest request) {
        return hosts.admit(new ServletArrival(request)) ? access.roleOf(request) : DashboardRole.NONE;
    }

    /** A byte more than is allowed, if there is one. */
    private static byte[] body(HttpServletRequest request) throws IOException {
        return request.getInputStream().readNBytes(ApiRequest.MOST_BODY + 1);
    }

    /** Null if the stream is open. */
    private @Nullable Answer open(
            WebRequest web, HttpServletRequest request, HttpServletResponse response, DashboardHandler.Live live) {
        try {
            HttpServletResponse uncached = ServletStreams.uncached(response);
            set(uncached, live.headers());
            Installation installation = live.installation();
            streams.open(
                    installation.stream(),
                    request,
                    uncached,
                    installation.pulse().first());
            return null;
        } catch (RuntimeException e) {
            return handler.refusal(web, e);
        }
    }

    private static void send(HttpServletResponse response, Answer answer) throws IOException {
        response.setStatus(answer.status());
        set(response, answer.headers());
        if (answer.body().length > 0) {
            response.setContentLength(answer.body().length);
            response.getOutputStream().write(answer.body());
        }
    }

    private static void set(HttpServletResponse response, Map<String, String> headers) {
        headers.forEach((name, value) -> {
            if (name.equals("Vary") || name.equals("Set-Cookie")) {
                response.addHeader(name, value); // the application may have reasons of its own
            } else {
                response.setHeader(name, value);
            }
        });
    }
}
