package dev.jobs.sample;

import static dev.jobs.test.JobsAssertions.assertThat;

import dev.jobs.proof.Requires;
import dev.jobs.sample.Order.Card;
import dev.jobs.sample.Order.Item;
import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import dev.jobs.test.TestJobs;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/** The whole shop with its worker on the Redis of production, in a container. */
@SpringBootTest(properties = {"shop.demo-orders=0", "shop.takes.charge=0"})
@AutoConfigureJobs(mode = JobsMode.WORKER, ownRedis = false)
@Testcontainers
@Tag("system")
@Requires(
        check = "docker info && { docker image inspect redis:8-alpine || docker pull redis:8-alpine; }",
        install = "docker.io and its image redis:8-alpine")
class ContainerIT {

    @Container
    @ServiceConnection("redis")
    static final GenericContainer<?> REDIS = new GenericContainer<>("redis:8-alpine").withExposedPorts(6379);

    @Test
    void anOrderIsCharged(@Autowired Checkout checkout, @Autowired TestJobs jobs) {
        long order = checkout.place("ada@example.com", List.of(new Item("CUP-01", 2)), Card.VISA)
                .id();

        jobs.drain();

        assertThat(jobs).enqueued(Payments::charge, order).isDone();
        assertThat(jobs).enqueued(Mails::receipt, order).isDone();
    }
}
