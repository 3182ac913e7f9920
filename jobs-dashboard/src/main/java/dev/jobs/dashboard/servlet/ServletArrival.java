package dev.jobs.dashboard.servlet;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Arrival;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A request as the servlet container made it: wrappers by filters may show another address and hide headers. */
@Internal
public final class ServletArrival implements Arrival {

    /** Attributes that Tomcat sets when it replaces the connection's address by one from a header. */
    private static final List<String> FORWARDED =
            List.of("org.apache.tomcat.request.forwarded", "org.apache.tomcat.remoteAddr");

    private final HttpServletRequest original;

    public ServletArrival(HttpServletRequest request) {
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
        }
        this.original = inner instanceof HttpServletRequest http ? http : request;
    }

    @Override
    public @Nullable String address() {
        return original.getRemoteAddr();
    }

    @Override
    public String protocol() {
        return original.getProtocol();
    }

    @Override
    public Set<String> headerNames() {
        return new TreeSet<>(Collections.list(original.getHeaderNames()));
    }

    @Override
    public List<String> headers(String name) {
        return Collections.list(original.getHeaders(name));
    }

    @Override
    public @Nullable String query() {
        return original.getQueryString();
    }

    @Override
    public boolean isReaddressed() {
        return FORWARDED.stream().anyMatch(name -> original.getAttribute(name) != null);
    }
}
