package dev.jobs.modulith;

import java.util.concurrent.CompletableFuture;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.transaction.annotation.Propagation;

/**
 * Enqueues events after the commit, on another thread. An event counts as published once its job is stored.
 *
 * <p>Overrides the method for its name, under which publications are stored: transports that share one couldn't be told
 * apart when an event is submitted again.
 */
class EventJobs extends EventExternalizerModuleListener {

    EventJobs(EventExternalizationConfiguration configuration, EventExternalizationTransport transport) {
        super(configuration, transport);
    }

    @Override
    @ApplicationModuleListener(propagation = Propagation.SUPPORTS)
    public CompletableFuture<?> externalize(Object event) {
        return super.externalize(event);
    }
}
