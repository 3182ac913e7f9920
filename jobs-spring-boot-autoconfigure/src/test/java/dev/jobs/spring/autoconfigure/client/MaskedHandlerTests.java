package dev.jobs.spring.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.Masked;
import dev.jobs.Payload;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A handler can log a failure without the arguments that its message quotes. */
class MaskedHandlerTests {

    static class Payments {
        @Job("charge")
        void charge(long order, @Masked String card) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        final List<String> logged = new ArrayList<>();

        @Bean
        DeathHandler deaths(ArgumentMasking masking) {
            return (payload, failure) ->
                    logged.add(masking.shown(payload, "Job " + payload.jid() + " is given up: " + failure));
        }

        @Bean
        ArgumentMask ruby() {
            return (job, position, argument) -> job.equals("Legacy") ? ArgumentMasking.HIDDEN : argument;
        }
    }

    @Test
    void theBeanMasksWhatAnnotationsAndBeansHide() {
        JobsContext.withoutWorker()
                .withBean(Payments.class)
                .withUserConfiguration(Handlers.class)
                .run(context -> {
                    DeathHandler handler = context.getBean("deaths", DeathHandler.class);
                    Throwable failure = new IllegalStateException("4111-1111 was declined");
                    handler.died(payload("charge", 42, "4111-1111"), failure);
                    handler.died(payload("Legacy", "4111-1111"), failure);
                    handler.died(payload("Open", "4111-1111"), failure);

                    assertThat(context.getBean(Handlers.class).logged)
                            .containsExactly(
                                    "Job a1 is given up: java.lang.IllegalStateException: ••• was declined",
                                    "Job a1 is given up: java.lang.IllegalStateException: ••• was declined",
                                    "Job a1 is given up: java.lang.IllegalStateException: 4111-1111 was declined");
                });
    }

    private static Payload payload(String name, Object... arguments) {
        return Payload.of(Map.of("class", name, "args", List.of(arguments), "jid", "a1"));
    }
}
