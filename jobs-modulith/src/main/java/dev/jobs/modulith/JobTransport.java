package dev.jobs.modulith;

import dev.jobs.JobClient;
import dev.jobs.unique.DuplicateJobException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.EventExternalizationTransport;

/**
 * Enqueues an event as the argument of a job: the target of the event is the name of the job, its key that of the job
 * in a fair queue. Both may be expressions.
 */
final class JobTransport implements EventExternalizationTransport {

    private final JobClient jobs;
    private final StandardEvaluationContext expressions = new StandardEvaluationContext();

    JobTransport(JobClient jobs, BeanFactory beans) {
        this.jobs = jobs;
        expressions.setBeanResolver(new BeanFactoryResolver(beans));
    }

    /** Done once Redis has the job, so that nothing counts as published before. */
    @Override
    public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
        return CompletableFuture.completedFuture(enqueue(jobs.now(), payload, target));
    }

    /**
     * Enqueues it as the client is set to.
     *
     * @return the jid, or null if another job stands for it, or if a middleware refused it
     */
    private @Nullable String enqueue(JobClient client, Object payload, RoutingTarget target) {
        BrokerRouting routing = BrokerRouting.of(target, expressions);
        String key = target.getKey() == null ? null : routing.getKey(payload);
        try {
            return (key == null ? client : client.key(key))
                    .enqueue(routing.getTarget(payload), new Object[] {payload}); // which may be an array itself
        } catch (DuplicateJobException e) {
            return null; // a job of this event waits or runs
        }
    }

    /** Enqueues it in the transaction of this thread. */
    void enqueueInTransaction(Object payload, RoutingTarget target) {
        enqueue(jobs, payload, target);
    }
}
