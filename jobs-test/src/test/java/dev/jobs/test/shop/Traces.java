package dev.jobs.test.shop;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobContext;
import dev.jobs.JobMiddleware;
import dev.jobs.Payload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Middleware of both sides. */
@Component
class Traces implements EnqueueMiddleware, JobMiddleware {

    final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    @Override
    public @Nullable Payload enqueue(Payload payload, EnqueueMiddleware.Chain next) {
        return "refused".equals(payload.jobName()) ? null : next.proceed(payload.with("trace", "t1"));
    }

    @Override
    public void perform(JobContext job, JobMiddleware.Chain next) throws Exception {
        seen.add(job.name() + " " + job.payload().text("trace"));
        next.proceed();
    }
}
