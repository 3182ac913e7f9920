package dev.jobs.modulith;

import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.core.ConditionalEventListener;

/** Enqueues events in the transaction that publishes them, as rows of the outbox; no publication is stored. */
final class EventOutbox implements ApplicationListener<PayloadApplicationEvent<?>>, ConditionalEventListener {

    private final EventExternalizationConfiguration configuration;
    private final JobTransport transport;

    EventOutbox(EventExternalizationConfiguration configuration, JobTransport transport) {
        this.configuration = configuration;
        this.transport = transport;
    }

    @Override
    public boolean supports(Object event) {
        return configuration.supports(event);
    }

    /** Only the multicaster of Spring Modulith asks whether the event is meant. */
    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> event) {
        Object payload = event.getPayload();
        if (supports(payload)) {
            transport.enqueueInTransaction(configuration.map(payload), configuration.determineTarget(payload));
        }
    }
}
