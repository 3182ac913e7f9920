package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.DashboardUsers;
import dev.jobs.dashboard.web.WebRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;

/** A request of a servlet application. */
final class ServletWebRequest implements WebRequest {

    private final HttpServletRequest request;
    private final ServletTokens tokens;
    private final DashboardUsers users;

    ServletWebRequest(HttpServletRequest request, ServletTokens tokens, DashboardUsers users) {
        this.request = request;
        this.tokens = tokens;
        this.users = users;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        return request.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE) instanceof String path
                ? path
                : "";
    }

    @Override
    public String uri() {
        return request.getRequestURI();
    }

    @Override
    public @Nullable String query() {
        return request.getQueryString();
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public @Nullable String user() {
        Principal principal = request.getUserPrincipal();
        return principal == null ? null : principal.getName();
    }

    @Override
    public @Nullable String person() {
        return users.nameOf(request);
    }

    @Override
    public String address() {
        return String.valueOf(request.getRemoteAddr());
    }

    @Override
    public String language() {
        return request.getLocale().getLanguage();
    }

    @Override
    public Session session() {
        Token token = tokens.of(request); // may begin a session
        HttpSession session = request.getSession(false);
        boolean ends = session != null && request.getUserPrincipal() != null && session.getMaxInactiveInterval() > 0;
        return new Session(token, ends ? session.getMaxInactiveInterval() : null);
    }
}
