package dev.jobs.spring.autoconfigure.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.spring.JobDiedEvent;
import dev.jobs.spring.JobFinishedEvent;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

class EventDemandTests {

    @Test
    void noBeanOfAnApplicationWithWebAndActuatorListensByDefault() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run("--jobs.enabled=false", "--jobs.embedded-redis.enabled=false", "--server.port=0")) {
            assertThat(new EventDemand(context, JobFinishedEvent.class).isHeard())
                    .isFalse();
        }
    }

    @Test
    void anAnnotatedMethodListens() {
        assertThat(isHeard(Annotated.class)).isTrue();
    }

    @Test
    void aMethodForOtherEventsDoesNotListen() {
        assertThat(isHeard(ForOthers.class)).isFalse();
    }

    @Test
    void aListenerToEverythingListens() {
        assertThat(isHeard(ToEverything.class)).isTrue();
    }

    @Test
    void aListenerToThePayloadListens() {
        assertThat(isHeard(ToPayload.class)).isTrue();
    }

    @Test
    void aListenerThatDoesNotExistYetMayListen() {
        assertThat(isHeard(LazyListener.class)).isTrue();
    }

    @Test
    void aListenerThatComesLaterIsNoticed() {
        try (ConfigurableApplicationContext context = start(ForOthers.class)) {
            EventDemand demand = new EventDemand(context, JobFinishedEvent.class);
            assertThat(demand.isHeard()).isFalse();

            context.addApplicationListener((ApplicationListener<ApplicationEvent>) event -> {});

            assertThat(demand.isHeard()).isTrue();
        }
    }

    @Test
    void aParentListensToo() {
        try (ConfigurableApplicationContext parent = start(Annotated.class);
                GenericApplicationContext child = new GenericApplicationContext(parent)) {
            child.refresh();

            assertThat(new EventDemand(child, JobFinishedEvent.class).isHeard()).isTrue();
        }
    }

    @Test
    void aListenerThatComesLaterToAParentIsNoticed() {
        try (ConfigurableApplicationContext parent = start(ForOthers.class);
                GenericApplicationContext child = new GenericApplicationContext(parent)) {
            child.refresh();
            EventDemand demand = new EventDemand(child, JobFinishedEvent.class);
            assertThat(demand.isHeard()).isFalse();

            parent.addApplicationListener((ApplicationListener<ApplicationEvent>) event -> {});

            assertThat(demand.isHeard()).isTrue();
        }
    }

    private static boolean isHeard(Class<?> configuration) {
        try (ConfigurableApplicationContext context = start(configuration)) {
            return new EventDemand(context, JobFinishedEvent.class).isHeard();
        }
    }

    private static ConfigurableApplicationContext start(Class<?> configuration) {
        return new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static class Annotated {

        @EventListener
        void on(JobFinishedEvent event) {}
    }

    static class ForOthers {

        @EventListener
        void on(JobDiedEvent event) {}

        @EventListener
        void on(ContextRefreshedEvent event) {}
    }

    static class ToEverything implements ApplicationListener<ApplicationEvent> {

        @Override
        public void onApplicationEvent(ApplicationEvent event) {}
    }

    static class ToPayload implements ApplicationListener<PayloadApplicationEvent<JobFinishedEvent>> {

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<JobFinishedEvent> event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyListener {

        @Bean
        @Lazy
        ToPayload listener() {
            return new ToPayload();
        }
    }
}
