package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;

/** Hands Spring Security's token on to our pages. Loaded only where Spring Security is. */
final class CsrfTokens {

    private CsrfTokens() {}

    static DashboardTokens.@Nullable Token of(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? new DashboardTokens.Token(token.getHeaderName(), token.getToken())
                : null;
    }
}
