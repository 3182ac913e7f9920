package dev.jobs.spring.autoconfigure.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobListener.Ending;
import dev.jobs.spring.DuplicateJobsEvent;
import dev.jobs.spring.JobDiedEvent;
import dev.jobs.spring.JobFinishedEvent;
import dev.jobs.spring.autoconfigure.StandInJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.support.GenericApplicationContext;

class EventPublisherTests {

    private final List<JobFinishedEvent> heard = new ArrayList<>();

    @Test
    void withoutAListenerAnEndedJobIsNotEvenLookedAt() {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            context.refresh();
            StandInJob job = new StandInJob("Mails.send", "mail");

            new EventPublisher(context).finished(job, Ending.DONE, Duration.ZERO, null);

            assertThat(job.payloads()).isZero();
        }
    }

    @Test
    void deathsAreListenedToOnlyIfTheApplicationListensToTheirEvents() {
        try (GenericApplicationContext context = listening()) {
            EventPublisher publisher = new EventPublisher(context);
            assertThat(publisher.deaths().isListening()).isFalse();

            context.addApplicationListener(new ApplicationListener<PayloadApplicationEvent<JobDiedEvent>>() {
                @Override
                public void onApplicationEvent(PayloadApplicationEvent<JobDiedEvent> event) {}
            });

            assertThat(publisher.deaths().isListening()).isTrue();
        }
    }

    @Test
    void aListenerIsNotifiedOfAnEndedJob() {
        try (GenericApplicationContext context = listening()) {
            IllegalStateException failure = new IllegalStateException();

            new EventPublisher(context)
                    .finished(new StandInJob("Mails.send", "mail"), Ending.RETRIED, Duration.ofMillis(3), failure);

            assertThat(heard).singleElement().satisfies(event -> {
                assertThat(event.name()).isEqualTo("Mails.send");
                assertThat(event.queue()).isEqualTo("mail");
                assertThat(event.ending()).isEqualTo(Ending.RETRIED);
                assertThat(event.took()).isEqualTo(Duration.ofMillis(3));
                assertThat(event.failure()).isSameAs(failure);
            });
        }
    }

    @Test
    void duplicatesArePublishedForThoseWhoListen() {
        List<DuplicateJobsEvent> told = new ArrayList<>();
        try (GenericApplicationContext context = listening()) {
            EventPublisher publisher = new EventPublisher(context);
            publisher.duplicates("Mails.send", "mail", 2, "before anyone listens");
            context.addApplicationListener(new ApplicationListener<PayloadApplicationEvent<DuplicateJobsEvent>>() {
                @Override
                public void onApplicationEvent(PayloadApplicationEvent<DuplicateJobsEvent> event) {
                    told.add(event.getPayload());
                }
            });

            publisher.duplicates("Mails.send", "mail", 2, "holder");

            assertThat(told).containsExactly(new DuplicateJobsEvent("Mails.send", "mail", 2, "holder"));
        }
    }

    @Test
    void anEntryThatIsNoJobHasNoEvent() {
        try (GenericApplicationContext context = listening()) {
            new EventPublisher(context).finished(new StandInJob("", "mail"), Ending.DEAD, Duration.ZERO, null);

            assertThat(heard).isEmpty();
        }
    }

    private GenericApplicationContext listening() {
        GenericApplicationContext context = new GenericApplicationContext();
        context.addApplicationListener(new ApplicationListener<PayloadApplicationEvent<JobFinishedEvent>>() {
            @Override
            public void onApplicationEvent(PayloadApplicationEvent<JobFinishedEvent> event) {
                heard.add(event.getPayload());
            }
        });
        context.refresh();
        return context;
    }
}
