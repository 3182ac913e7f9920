package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/** Lets no child of the context with the jobs start with jobs of its own, which nobody would find. */
@Internal
public final class ChildContexts implements ApplicationListener<ContextRefreshedEvent> {

    private final ApplicationContext own;
    private final JobDiscovery discovery;
    private final JobRegistry registry;

    public ChildContexts(ApplicationContext own, JobDiscovery discovery, JobRegistry registry) {
        this.own = own;
        this.discovery = discovery;
        this.registry = registry;
    }

    /** @throws JobDefinitionException if a child has jobs that would never run */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() instanceof ConfigurableApplicationContext child
                && child != own
                && child.getBeanProvider(JobRegistry.class).getIfUnique() == registry) {
            discovery.checkChild(child.getBeanFactory(), registry);
        }
    }
}
