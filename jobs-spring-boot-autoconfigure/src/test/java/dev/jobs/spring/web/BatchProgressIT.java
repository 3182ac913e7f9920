package dev.jobs.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.spring.BatchView;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application that shows the progress of its batches, on an embedded Redis. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"spring.jackson.serialization.indent-output=true", "spring.mvc.async.request-timeout=1ms"})
class BatchProgressIT {

    private static final JsonMapper JSON = new JsonMapper();

    @Autowired
    private Batches batches;

    @Autowired
    private BatchStreams streams;

    @Autowired
    private Gate gate;

    @Value("${local.server.port}")
    private int port;

    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void noStreamStaysOpen() {
        await().until(() -> streams.count() == 0);
    }

    @Test
    void aClientThatPollsGetsTheBatchOnlyIfItHasChanged() throws Exception {
        String id = batches.create("sale", batch -> batch.add(JobCall.of(Gate::pass)));
        BatchStatus waiting = batches.find(id).orElseThrow();

        HttpResponse<String> first = get("/batches/" + id);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Cache-Control")).hasValue("no-cache, private");
        String etag = first.headers().firstValue("ETag").orElseThrow();
        assertThat(etag).isEqualTo("W/\"" + waiting.version() + "\"");
        JsonNode body = JSON.readTree(first.body());
        assertThat(body.at("/id").asString()).isEqualTo(id);
        assertThat(body.at("/state").asString()).isEqualTo("RUNNING");
        assertThat(body.at("/total").asLong()).isEqualTo(1);
        assertThat(body.at("/pending").asLong()).isEqualTo(1);
        assertThat(body.at("/share").asDouble()).isZero();
        assertThat(body.at("/createdAt").asString())
                .isEqualTo(waiting.createdAt().toString());

        assertThat(get("/batches/" + id, "If-None-Match", etag))
                .returns(304, HttpResponse::statusCode)
                .returns("", HttpResponse::body);

        gate.permits.release();
        assertThat(batches.await(id, Duration.ofSeconds(60))).isTrue();

        HttpResponse<String> last = get("/batches/" + id, "If-None-Match", etag);
        assertThat(last.statusCode()).isEqualTo(200);
        assertThat(JSON.readTree(last.body()).at("/state").asString()).isEqualTo("SUCCEEDED");
        assertThat(JSON.readTree(last.body()).at("/events/FINISHED").asString()).endsWith("Z");
    }

    @Test
    void aClientThatWatchesGetsEachChangeUntilTheBatchHasFinished() throws Exception {
        String id = batches.create(
                "sale", batch -> batch.add(JobCall.of(Gate::pass)).add(JobCall.of(Gate::pass)));

        HttpResponse<Stream<String>> response =
                http.send(request("/batches/" + id + "/events"), BodyHandlers.ofLines());

        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
        Iterator<String> lines = response.body().iterator();
        Event first = Event.next(lines);
        assertThat(first.name()).isEqualTo("progress");
        assertThat(first.data().at("/pending").asLong()).isEqualTo(2);

        gate.permits.release();
        Event second = Event.next(lines);
        assertThat(second.name()).isEqualTo("progress");
        assertThat(second.data().at("/succeeded").asLong()).isEqualTo(1);

        gate.permits.release();
        Event last = Event.next(lines);
        while (last.name().equals("progress")) { // its last job and its end may be seen one after the other
            last = Event.next(lines);
        }
        assertThat(last.name()).isEqualTo("finished");
        assertThat(last.data().at("/state").asString()).isEqualTo("SUCCEEDED");
        assertThat(last.id()).isEqualTo(batches.find(id).orElseThrow().version());
        assertThat(lines.hasNext()).isFalse();

        assertThat(get("/batches/" + id + "/events", "Last-Event-ID", last.id()).statusCode())
                .as("a browser that gets 204 doesn't come back")
                .isEqualTo(204);
        assertThat(get("/batches/" + id + "/events").body()).contains("event:finished");
    }

    @Test
    void aBatchThatIsNotThereOrNotTheirsIsNotFound() throws Exception {
        String id = batches.create("sale", batch -> batch.createdBy("ann"));

        assertThat(get("/batches/0123456789abcdef").statusCode()).isEqualTo(404);
        assertThat(get("/batches/0123456789abcdef/events").statusCode()).isEqualTo(404);
        assertThat(get("/bob/batches/" + id).statusCode()).isEqualTo(404);
        assertThat(get("/bob/batches/" + id + "/events").statusCode()).isEqualTo(404);
        assertThat(get("/ann/batches/" + id).body()).isEqualTo("sale");
    }

    @Test
    void aClientThatLeavesMakesRoom() throws Exception {
        String id = batches.create(
                "sale", batch -> batch.add(JobCall.of(Gate::never).queue("elsewhere")));
        HttpResponse<InputStream> response =
                http.send(request("/batches/" + id + "/events"), BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        await().until(() -> streams.count() == 1);

        response.body().close();

        await().until(() -> streams.count() == 0);
    }

    @Test
    void openStreamsDoNotHoldUpAStop() throws Exception {
        String id = batches.create(
                "sale", batch -> batch.add(JobCall.of(Gate::never).queue("elsewhere")));
        HttpResponse<Stream<String>> response =
                http.send(request("/batches/" + id + "/events"), BodyHandlers.ofLines());
        Iterator<String> lines = response.body().iterator();
        assertThat(Event.next(lines).name()).isEqualTo("progress");

        streams.stop();
        try {
            lines.forEachRemaining(line -> {}); // until the stream ends
            assertThat(streams.count()).isZero();
            assertThat(get("/batches/" + id + "/events").statusCode()).isEqualTo(503);
        } finally {
            streams.start();
        }
        HttpResponse<InputStream> again =
                http.send(request("/batches/" + id + "/events"), BodyHandlers.ofInputStream());
        assertThat(again.statusCode()).isEqualTo(200);
        again.body().close();
    }

    @Test
    void oneCallReadsTheBatchesOfAllStreams() {
        AtomicInteger calls = new AtomicInteger();
        Batches counting = (Batches) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Batches.class}, (proxy, method, arguments) -> {
                    calls.incrementAndGet();
                    return method.invoke(batches, arguments);
                });
        BatchStreams some = new BatchStreams(counting, 10, Duration.ofDays(1), Thread::new);
        some.start();
        BatchProgress progress = new BatchProgress(batches, some, java.time.Clock.systemUTC());
        String id = batches.create(
                "sale", batch -> batch.add(JobCall.of(Gate::never).queue("elsewhere")));
        for (int i = 0; i < 10; i++) {
            assertThat(progress.stream(id).getStatusCode()).isEqualTo(HttpStatus.OK);
        }

        some.tick();

        assertThat(calls).hasValue(1);
        assertThatThrownBy(() -> progress.stream(id))
                .isInstanceOfSatisfying(ResponseStatusException.class, refused -> assertThat(refused.getStatusCode())
                        .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE))
                .hasMessageContaining("All 10 streams");
        for (int i = 1; i <= BatchStreams.LIFE; i++) {
            assertThat(some.count()).isEqualTo(10);
            some.tick();
        }
        assertThat(some.count()).isZero();
        some.tick();
        assertThat(calls).as("nothing is read for nobody").hasValue(1 + BatchStreams.LIFE);
        some.stop();
    }

    @Test
    void aSlowClientSkipsEventsButNotTheLast() {
        AtomicReference<BatchStatus> now = new AtomicReference<>(status(0));
        Batches changing = (Batches) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Batches.class},
                (proxy, method, arguments) ->
                        method.getName().equals("find") ? Optional.of(now.get()) : Map.of("sale", now.get()));
        BatchStreams some = new BatchStreams(changing, 10, Duration.ofDays(1), Thread::new);
        some.start();
        List<Long> shown = new CopyOnWriteArrayList<>();
        CountDownLatch reads = new CountDownLatch(1);
        new BatchProgress(changing, some, java.time.Clock.systemUTC()).stream("sale", batch -> {
            shown.add(batch.succeeded());
            if (batch.succeeded() == 1) {
                await().until(() -> reads.getCount() == 0);
            }
            return "";
        });

        for (int succeeded = 1; succeeded <= 3; succeeded++) {
            now.set(status(succeeded));
            some.tick();
        }
        await().until(() -> shown.size() == 2);
        reads.countDown();

        await().until(() -> {
            some.tick();
            return shown.size() == 3;
        });
        assertThat(shown).containsExactly(0L, 1L, 3L);
        some.stop();
    }

    private static BatchStatus status(long succeeded) {
        return new BatchStatus(
                "sale",
                "sale",
                "",
                List.of(),
                "",
                null,
                null,
                false,
                false,
                3,
                3 - succeeded,
                0,
                succeeded,
                0,
                0,
                0,
                0,
                0,
                0,
                Instant.EPOCH,
                Instant.EPOCH,
                Map.of(),
                null,
                Map.of());
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        return http.send(request(path, headers), BodyHandlers.ofString());
    }

    private HttpRequest request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    /** A server-sent event. */
    record Event(String name, String id, JsonNode data) {

        static Event next(Iterator<String> lines) {
            String name = "";
            String id = "";
            StringBuilder data = new StringBuilder();
            while (lines.hasNext()) {
                String line = lines.next();
                if (line.startsWith("event:")) {
                    name = line.substring(6);
                } else if (line.startsWith("id:")) {
                    id = line.substring(3);
                } else if (line.startsWith("data:")) {
                    data.append(line.substring(5)).append('\n');
                } else if (line.isEmpty() && !data.isEmpty()) {
                    return new Event(name, id, JSON.readTree(data.toString()));
                } else {
                    assertThat(line).matches("retry:3000|:|");
                }
            }
            throw new AssertionError("The stream has ended");
        }
    }

    static class Gate {

        final Semaphore permits = new Semaphore(0);

        @Job
        void pass() throws InterruptedException {
            permits.acquire();
        }

        @Job
        void never() {}
    }

    @RestController
    static class Pages {

        private final BatchProgress progress;

        Pages(BatchProgress progress) {
            this.progress = progress;
        }

        @GetMapping("/batches/{id}")
        ResponseEntity<BatchView> one(@PathVariable String id) {
            return progress.poll(id);
        }

        @GetMapping("/batches/{id}/events")
        ResponseEntity<SseEmitter> events(@PathVariable String id) {
            return progress.stream(id);
        }

        @GetMapping("/{user}/batches/{id}")
        ResponseEntity<String> own(@PathVariable String user, @PathVariable String id) {
            return progress.poll(id, batch -> ofOwner(user, batch));
        }

        @GetMapping("/{user}/batches/{id}/events")
        ResponseEntity<SseEmitter> ownEvents(@PathVariable String user, @PathVariable String id) {
            return progress.stream(id, batch -> ofOwner(user, batch));
        }

        private static String ofOwner(String user, BatchStatus batch) {
            if (!batch.createdBy().equals(user)) {
                throw new ResponseStatusException(HttpStatus.NOT_FOUND);
            }
            return batch.name();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Gate.class, Pages.class})
    static class Application {

        @Bean
        BatchStreams quickStreams(Batches batches) {
            return new BatchStreams(batches, 100, Duration.ofMillis(10), Thread::new);
        }
    }
}
