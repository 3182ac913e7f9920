package dev.jobs.sample;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobContext;
import dev.jobs.JobMiddleware;
import dev.jobs.Payload;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives each HTTP request an id and passes it to the jobs that the request enqueues, to those that these enqueue, and
 * so on: one search in the log finds everything that a request has caused.
 */
@Component
class RequestIds extends OncePerRequestFilter implements EnqueueMiddleware, JobMiddleware {

    private static final String HEADER = "X-Request-Id";
    /** The key in the logging context and, as a custom member, in the payloads of jobs. */
    private static final String REQUEST = "request";

    private static final Pattern ACCEPTABLE = Pattern.compile("[A-Za-z0-9-]{1,64}");

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String given = request.getHeader(HEADER);
        String id = given != null && ACCEPTABLE.matcher(given).matches()
                ? given
                : UUID.randomUUID().toString().substring(0, 8);
        response.setHeader(HEADER, id);
        MDC.put(REQUEST, id);
        try {
            chain.doFilter(request, response);
        } finally {
            MDC.remove(REQUEST);
        }
    }

    @Override
    public @Nullable Payload enqueue(Payload payload, EnqueueMiddleware.Chain next) {
        String id = MDC.get(REQUEST);
        // A retried job passes here again when it is due, and keeps its id.
        return next.proceed(id == null || payload.has(REQUEST) ? payload : payload.with(REQUEST, id));
    }

    @Override
    public void perform(JobContext job, JobMiddleware.Chain next) throws Exception {
        String id = job.payload().text(REQUEST);
        if (id == null) {
            next.proceed();
            return;
        }
        MDC.put(REQUEST, id);
        try {
            next.proceed();
        } finally {
            MDC.remove(REQUEST);
        }
    }
}
