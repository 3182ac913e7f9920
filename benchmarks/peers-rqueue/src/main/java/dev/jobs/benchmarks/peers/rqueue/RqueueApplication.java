package dev.jobs.benchmarks.peers.rqueue;

import com.github.sonus21.rqueue.annotation.RqueueListener;
import com.github.sonus21.rqueue.config.SimpleRqueueListenerContainerFactory;
import dev.jobs.benchmarks.driver.Tally;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The application with the only listener. */
@SpringBootConfiguration
@EnableAutoConfiguration
class RqueueApplication {

    static final String QUEUE = "benchmark";

    @Bean
    SimpleRqueueListenerContainerFactory simpleRqueueListenerContainerFactory() {
        SimpleRqueueListenerContainerFactory factory = new SimpleRqueueListenerContainerFactory();
        factory.setPollingInterval(1);
        return factory;
    }

    @Bean
    Jobs jobs(Tally tally) {
        return new Jobs(tally);
    }

    /** The work of the jobs. */
    record Jobs(Tally tally) {

        @RqueueListener(value = QUEUE, concurrency = "${benchmark.concurrency}")
        public void run(RqueueJob job) {
            tally.ran(job.arguments().number());
        }
    }
}
