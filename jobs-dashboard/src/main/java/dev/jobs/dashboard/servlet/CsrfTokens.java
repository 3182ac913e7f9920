package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.web.WebRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;

/** Passes Spring Security's token to our pages. Loaded only if Spring Security is present. */
final class CsrfTokens {

    private CsrfTokens() {}

    static WebRequest.@Nullable Token of(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? new WebRequest.Token(token.getHeaderName(), token.getToken())
                : null;
    }
}
