package dev.jobs.spring.autoconfigure.events;

import java.util.ConcurrentModificationException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Whether an event type has listeners. Publishing an event without listeners costs more than the rest of a small job;
 * this check costs reading one number. When in doubt the answer is yes. Thread-safe.
 */
final class EventDemand {

    private final ApplicationContext context;
    private final ResolvableType event;

    /** The answer for this number of listeners; listeners are only ever added. */
    private record Answer(int listeners, boolean heard) {}

    private volatile Answer answer = new Answer(-1, true);

    EventDemand(ApplicationContext context, Class<?> payload) {
        this.context = context;
        this.event = ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, payload);
    }

    boolean isHeard() {
        Answer known = answer;
        int listeners = count(context);
        if (listeners < 0) {
            return true;
        }
        if (known.listeners() != listeners) {
            known = new Answer(listeners, isHeardIn(context));
            answer = known;
        }
        return known.heard();
    }

    /**
     * The number of listeners of a context and its parents, or a negative number if the kind of context doesn't reveal
     * it.
     */
    private static int count(ApplicationContext context) {
        int count = 0;
        for (ApplicationContext each = context; each != null; each = each.getParent()) {
            if (!(each instanceof AbstractApplicationContext known)) {
                return -1;
            }
            count += known.getApplicationListeners().size();
        }
        return count;
    }

    private boolean isHeardIn(ApplicationContext context) {
        for (ApplicationContext each = context;
                each instanceof AbstractApplicationContext known;
                each = each.getParent()) {
            try {
                if (known.getApplicationListeners().stream().anyMatch(this::hears) || hasLazyListener(known)) {
                    return true;
                }
            } catch (ConcurrentModificationException e) {
                return true;
            }
        }
        return false;
    }

    private boolean hears(ApplicationListener<?> listener) {
        return new GenericApplicationListenerAdapter(listener).supportsEventType(event);
    }

    /** A listener that the first event creates can't be asked for its event types. */
    private static boolean hasLazyListener(AbstractApplicationContext context) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        for (String name : beans.getBeanNamesForType(ApplicationListener.class, true, false)) {
            if (!beans.containsSingleton(BeanFactoryUtils.transformedBeanName(name))) {
                return true;
            }
        }
        return false;
    }
}
