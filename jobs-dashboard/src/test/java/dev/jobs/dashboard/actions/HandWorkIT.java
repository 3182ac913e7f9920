package dev.jobs.dashboard.actions;

import static dev.jobs.dashboard.RunningDashboard.all;
import static dev.jobs.dashboard.RunningDashboard.encoded;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.ArgumentMasking;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.Masked;
import dev.jobs.Payload;
import dev.jobs.batches.Batches;
import dev.jobs.codec.JsonText;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.unique.Unique;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Jobs enqueued by hand, edited and moved, while a worker lives that serves another queue. */
@ExtendWith(OutputCaptureExtension.class)
class HandWorkIT {

    private static final String CARD = "4111-1111-1111-1111";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server,
            "/jobs",
            Shop.class,
            "jobs.dashboard.access=local",
            "jobs.queues=served",
            "jobs.ordered-queues.sorted=fair");

    private final StringRedisTemplate redis = dashboard.redis();

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Shop {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        EnqueueMiddleware veto() {
            return (payload, next) -> String.valueOf(payload.args()).contains("vetoed") ? null : next.proceed(payload);
        }

        @Bean
        EnqueueMiddleware elsewhere() {
            return (payload, next) -> next.proceed(
                    String.valueOf(payload.args()).contains("rerouted") ? payload.with("queue", "elsewhere") : payload);
        }
    }

    enum Way {
        FAST,
        CHEAP
    }

    static class Orders {

        @Job(value = "Orders.ship", queue = "orders")
        public void ship(int order, Way way, boolean gift, BigDecimal price, Instant at, List<String> notes) {}

        @Job(value = "Orders.pay", queue = "orders")
        public void pay(int order, @Masked String card) {}

        @Unique @Job(value = "Orders.once", queue = "orders")
        public void once(int order) {}
    }

    @BeforeEach
    void empty() {
        Set<String> stale = redis.keys("queue:*");
        redis.delete(stale == null ? Set.of() : stale);
        redis.delete(List.of("queues", "schedule", "retry", "dead", "jobs:trash", "jobs:trash:bytes"));
        Set<String> locks = redis.keys("unique:*");
        redis.delete(locks == null ? Set.of() : locks);
        // the worker says what it knows with its first heartbeat
        await().atMost(Duration.ofSeconds(30))
                .until(() -> dashboard.get("/api/known").at("/jobs").toString().contains("Orders.ship"));
    }

    private List<String> queue(String name) {
        List<String> jobs = redis.opsForList().range("queue:" + name, 0, -1);
        return jobs == null ? List.of() : jobs;
    }

    private static Map<String, Object> ship(String... arguments) {
        return new HashMap<>(Map.of("job", "Orders.ship", "arguments", Arrays.asList(arguments)));
    }

    private static Map<String, Object> and(Map<String, ?> body, Object... more) {
        Map<String, Object> all = new HashMap<>(body);
        for (int i = 0; i < more.length; i += 2) {
            all.put((String) more[i], more[i + 1]);
        }
        return all;
    }

    private static final String[] RIGHT = {
        "17", "\"FAST\"", "true", "\"19.90\"", "\"2026-11-25T03:00:00Z\"", "[\"a\", \"b\"]"
    };

    @Test
    void asksForTheArgumentsByTheParameters() {
        Reply job = dashboard.get("/api/known/job?name=Orders.ship");

        assertThat(job.at("/queue").asString()).isEqualTo("orders");
        assertThat(job.at("/arguments").asInt()).isEqualTo(6);
        assertThat(job.at("/parameters/0/name").asString()).isEqualTo("order");
        assertThat(job.at("/parameters").findValuesAsString("input"))
                .containsExactly("integer", "choice", "flag", "text", "text", "json");
        assertThat(job.at("/parameters/1/choices").toString()).isEqualTo("[\"\\\"FAST\\\"\",\"\\\"CHEAP\\\"\"]");
        assertThat(dashboard
                        .get("/api/known/job?name=Orders.pay")
                        .at("/parameters/1/masked")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void enqueuesAJobAfterAPreview(CapturedOutput output) {
        Reply preview = dashboard.post("/api/enqueue", and(ship(RIGHT), "check", true, "tags", List.of("by-hand")));

        assertThat(preview.status()).as(preview.text()).isEqualTo(200);
        assertThat(preview.at("/queue").asString()).isEqualTo("orders");
        assertThat(preview.at("/workers").asInt()).isZero();
        assertThat(preview.at("/args").asString()).startsWith("[17,\"FAST\",true,\"19.90\"");
        assertThat(queue("orders")).isEmpty();

        Reply stored = dashboard.post("/api/enqueue", and(ship(RIGHT), "tags", List.of("by-hand")));

        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        assertThat(queue("orders"))
                .singleElement()
                .asString()
                .contains(
                        "\"jid\":\"" + stored.at("/jid").asString() + "\"",
                        "\"tags\":[\"by-hand\"]",
                        "\"enqueued_at\":");
        assertThat(output)
                .contains("127.0.0.1: enqueue Orders.ship in queue orders [1]")
                .doesNotContain("FAST");
    }

    @Test
    void enqueuesForLaterAndTakesItBack(CapturedOutput output) {
        long at = Instant.now().plusSeconds(3_600).toEpochMilli();
        Reply later = dashboard.post("/api/enqueue", and(ship(RIGHT), "at", at, "to", "other"));
        Reply now = dashboard.post("/api/enqueue", ship(RIGHT));

        assertThat(later.at("/place").asString()).isEqualTo("scheduled");
        assertThat(redis.opsForZSet().range("schedule", 0, -1))
                .singleElement()
                .asString()
                .contains("\"queue\":\"other\"");
        for (Reply stored : List.of(later, now)) {
            Map<String, Object> undo = Map.of(
                    "jid", stored.at("/jid").asString(),
                    "place", stored.at("/place").asString(),
                    "queue", stored.at("/queue").asString());
            assertThat(dashboard.post("/api/enqueue/undo", undo).at("/done").asInt())
                    .isEqualTo(1);
            assertThat(dashboard.post("/api/enqueue/undo", undo).at("/done").asInt())
                    .isZero();
        }
        assertThat(redis.opsForZSet().size("schedule")).isZero();
        assertThat(queue("orders")).isEmpty();
        assertThat(dashboard.get("/api/trash").at("/items")).hasSize(2);
        assertThat(output)
                .contains("undo the enqueueing of job " + now.at("/jid").asString() + " [1]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | \"17\"         | Argument 1 (order: int) does not fit",
                "0 | 1.5            | Argument 1 (order: int) does not fit",
                "1 | \"SLOW\"       | Argument 2 (way",
                "4 | \"tomorrow\"   | Argument 5 (at: Instant) does not fit",
                "5 | [1, 2          | Argument 6 is not one JSON value",
                "0 | 17, \"a\": 1   | Argument 1 is not one JSON value",
                "0 | 17, \"value\":1| Argument 1 is not one JSON value",
                "0 | 17}            | Argument 1 is not one JSON value",
            })
    void refusesWhatTheJobCannotTake(int position, String text, String message) {
        String[] arguments = RIGHT.clone();
        arguments[position] = text;
        for (boolean check : new boolean[] {true, false}) {
            Reply reply = dashboard.post("/api/enqueue", and(ship(arguments), "check", check));

            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.at("/error/code").asString()).isEqualTo("bad-arguments");
            assertThat(reply.at("/error/message").asString()).contains(message);
        }
        assertThat(redis.keys("queue:*")).isEmpty();
    }

    @Test
    void refusesWrongCountsUnknownJobsQueuesAndVetoes() {
        assertThat(dashboard
                        .post("/api/enqueue", ship("17"))
                        .at("/error/message")
                        .asString())
                .contains("Argument 2 (way", "is missing");
        assertThat(dashboard
                        .post("/api/enqueue", ship("1", "1", "1", "1", "1", "1", "1"))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post("/api/enqueue", Map.of("job", "Nobody.knows", "arguments", List.of()))
                        .at("/error/code")
                        .asString())
                .isEqualTo("unknown-job");
        assertThat(dashboard.get("/api/known/job?name=Nobody.knows").status()).isEqualTo(409);
        assertThat(dashboard
                        .post("/api/enqueue", and(ship(RIGHT), "to", "a b\n"))
                        .status())
                .isEqualTo(400);
        String[] vetoed = RIGHT.clone();
        vetoed[5] = "[\"vetoed\"]";
        assertThat(dashboard
                        .post("/api/enqueue", ship(vetoed))
                        .at("/error/code")
                        .asString())
                .isEqualTo("not-stored");
        assertThat(dashboard.post("/api/enqueue", ship((String) null)).status()).isEqualTo(400);
        assertThat(dashboard
                        .post("/api/enqueue", Map.of("job", "Orders.ship", "arguments", "[]"))
                        .status())
                .isEqualTo(400);
        assertThat(queue("orders")).isEmpty();
    }

    private String failed(String jid, String name, String args) {
        String job = Payloads.failed(jid, name, "E").replace("\"args\":[1]", "\"args\":" + args);
        redis.opsForZSet().add("retry", job, 4e9);
        return job;
    }

    private static String key(String place, String jid) {
        Reply list = dashboard.get("/api/jobs?place=" + place + "&text=" + jid);
        return list.at("/items/0/key").asString();
    }

    private static Map<String, Object> again(String jid, String... arguments) {
        return new HashMap<>(
                Map.of("place", "retries", "key", key("retries", jid), "arguments", Arrays.asList(arguments)));
    }

    @Test
    void enqueuesAnotherJobWithOtherArguments(CapturedOutput output) {
        redis.delete("retry");
        redis.opsForZSet()
                .add(
                        "retry",
                        Payloads.failed("r1", "Orders.pay", "E")
                                .replace("\"args\":[1]", "\"args\":[1,\"" + CARD + "\"],\"tenant\":\"blue\""),
                        4e9);

        Reply preview = dashboard.post("/api/jobs/again", and(again("r1", "2", null), "check", true));
        assertThat(preview.at("/args").asString()).isEqualTo("[2,\"" + ArgumentMasking.HIDDEN + "\"]");
        Reply stored = dashboard.post("/api/jobs/again", again("r1", "2", null));

        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        assertThat(stored.text()).doesNotContain(CARD);
        assertThat(queue("low"))
                .singleElement()
                .asString()
                .contains("\"args\":[2,\"" + CARD + "\"]", "\"tenant\":\"blue\"")
                .doesNotContain("\"r1\"", "error_class", "retry_count", "failed_at");
        assertThat(redis.opsForZSet().size("retry")).isEqualTo(1);
        assertThat(output)
                .contains("enqueue Orders.pay in queue low like a job in retries [1]")
                .doesNotContain(CARD);
    }

    @Test
    void theOtherJobIsNotInTheTraceOfTheFirst() {
        List<String> trace = List.of(
                "traceparent",
                "tracestate",
                "b3",
                "X-B3-TraceId",
                "X-B3-SpanId",
                "X-B3-ParentSpanId",
                "X-B3-Sampled",
                "X-B3-Flags");
        String members = trace.stream().map(each -> ",\"" + each + "\":\"1\"").collect(Collectors.joining());
        redis.opsForZSet()
                .add(
                        "retry",
                        Payloads.failed("r1", "Orders.pay", "E")
                                .replace("\"args\":[1]", "\"args\":[1,\"x\"],\"tenant\":\"blue\"" + members),
                        4e9);

        dashboard.post("/api/jobs/again", again("r1", "2", null));

        assertThat(queue("low"))
                .singleElement()
                .asString()
                .contains("\"tenant\":\"blue\"")
                .doesNotContain(trace.stream().map(each -> "\"" + each + "\"").toArray(String[]::new));
    }

    /** A hidden argument may only stay where it is: elsewhere it would be shown. */
    @Test
    void aHiddenArgumentGoesNowhereElse() {
        failed("r1", "Orders.pay", "[1,\"" + CARD + "\"]");

        Reply preview = dashboard.post("/api/jobs/again", and(again("r1", (String) null, null), "check", true));
        assertThat(preview.text()).doesNotContain(CARD);
        assertThat(dashboard
                        .post("/api/jobs/again", and(again("r1", null, null, null), "check", true))
                        .status())
                .isEqualTo(400);
        Reply wrong = dashboard.post("/api/jobs/again", and(again("r1", "\"x\"", null), "check", true));
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.text()).doesNotContain(CARD);
        // another name, under which it would not be hidden, is not taken from the request
        Reply renamed =
                dashboard.post("/api/jobs/again", and(again("r1", null, null), "check", true, "job", "Orders.ship"));
        assertThat(renamed.at("/job").asString()).isEqualTo("Orders.pay");
        assertThat(dashboard
                        .get("/api/job?place=retries&full=true&key=" + encoded(key("retries", "r1")))
                        .text())
                .doesNotContain(CARD);
    }

    @Test
    void putsTheNewJobInThePlaceOfTheOldOneAndBack(CapturedOutput output) {
        String before = failed("r1", "Orders.once", "[1]");

        Reply stored = dashboard.post("/api/jobs/again", and(again("r1", "2"), "instead", true));

        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        assertThat(redis.opsForZSet().size("retry")).isZero();
        assertThat(queue("low")).hasSize(1);
        assertThat(output).contains("like a job in retries and delete that [1]");
        assertThat(dashboard
                        .post(
                                "/api/enqueue/undo",
                                Map.of(
                                        "jid",
                                        stored.at("/jid").asString(),
                                        "place",
                                        "queue",
                                        "queue",
                                        "low",
                                        "undo",
                                        stored.at("/undo").asString()))
                        .at("/done")
                        .asInt())
                .isEqualTo(1);
        assertThat(redis.opsForZSet().range("retry", 0, -1)).containsExactly(before);
        assertThat(queue("low")).isEmpty();
    }

    @Test
    void theOldJobStaysIfTheNewOneIsRefused() {
        String vetoed = failed("r1", "Jobs.sell", "[\"x\"]");
        assertThat(dashboard
                        .post("/api/jobs/again", and(again("r1", "\"vetoed\""), "instead", true))
                        .at("/error/code")
                        .asString())
                .isEqualTo("not-stored");
        assertThat(redis.opsForZSet().range("retry", 0, -1)).containsExactly(vetoed);

        // a lock is free for the job in whose place the new one comes, and for no other
        dashboard.post("/api/enqueue", Map.of("job", "Orders.once", "arguments", List.of("7")));
        Map<String, Object> twice = Map.of("job", "Orders.once", "arguments", List.of("7"));
        assertThat(dashboard.post("/api/enqueue", twice).at("/error/code").asString())
                .isEqualTo("not-stored");
        String key = dashboard
                .get("/api/jobs?place=queue&queue=orders")
                .at("/items/0/key")
                .asString();
        Reply instead = dashboard.post(
                "/api/jobs/again",
                Map.of("place", "queue", "queue", "orders", "key", key, "arguments", List.of("7"), "instead", true));
        assertThat(instead.status()).as(instead.text()).isEqualTo(200);
        assertThat(queue("orders")).hasSize(1);
    }

    private static String first(String queue) {
        return dashboard
                .get("/api/jobs?place=queue&queue=" + queue)
                .at("/items/0/key")
                .asString();
    }

    private static Map<String, Object> againIn(String queue, String... arguments) {
        return new HashMap<>(
                Map.of("place", "queue", "queue", queue, "key", first(queue), "arguments", Arrays.asList(arguments)));
    }

    private static boolean losesLock(Map<String, Object> again) {
        Reply preview = dashboard.post("/api/jobs/again", and(again, "check", true));
        assertThat(preview.status()).as(preview.text()).isEqualTo(200);
        return preview.at("/lock").asBoolean();
    }

    private String lock(String queue) {
        return String.valueOf(Payload.parse(queue(queue).get(0).getBytes(UTF_8)).text("unique_lock"));
    }

    @Test
    void theNewJobKeepsTheLockOfTheKeyThatACallNamed() {
        JobClient keyed = dashboard.bean(JobClient.class).queue("low").unique("order-7");
        keyed.enqueue("Jobs.sell", "x");
        String lock = lock("low");
        Map<String, Object> body = againIn("low", "\"y\"");

        assertThat(losesLock(body)).isFalse();
        assertThat(dashboard.post("/api/jobs/again", body).at("/error/code").asString())
                .as("beside the other one")
                .isEqualTo("not-stored");
        assertThat(dashboard.post("/api/jobs/again", and(body, "instead", true)).status())
                .isEqualTo(200);

        assertThat(queue("low")).singleElement().asString().contains("\"args\":[\"y\"]");
        assertThat(lock("low")).isEqualTo(lock);
        assertThat(keyed.enqueue("Jobs.sell", "z")).isNull();
    }

    @Test
    void theNewJobHasTheLockOfItsOwnArguments() {
        JobClient jobs = dashboard.bean(JobClient.class).queue("low");
        jobs.enqueue("Orders.once", 1);

        Map<String, Object> body = againIn("low", "2");
        assertThat(losesLock(body)).isFalse();
        assertThat(dashboard.post("/api/jobs/again", and(body, "instead", true)).status())
                .isEqualTo(200);

        assertThat(jobs.enqueue("Orders.once", 2)).isNull();
        assertThat(jobs.enqueue("Orders.once", 1)).isNotNull();
    }

    @Test
    void aKeyOfTheCallComesBeforeThatOfTheAnnotation() {
        JobClient keyed = dashboard.bean(JobClient.class).queue("low").unique("order-7");
        keyed.enqueue("Orders.once", 1);
        String lock = lock("low");

        Reply again = dashboard.post("/api/jobs/again", and(againIn("low", "2"), "instead", true));

        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(lock("low")).isEqualTo(lock);
    }

    /** Its lock counts from the first job, and would refuse the one that is edited. */
    @Test
    void aThrottledJobIsEditedWithoutItsLockWhichStays() {
        JobClient throttled = dashboard.bean(JobClient.class).queue("low").throttle("order-7", Duration.ofHours(1));
        throttled.enqueue("Jobs.sell", "x");
        Map<String, Object> body = againIn("low", "\"y\"");

        assertThat(losesLock(body)).isTrue();
        assertThat(dashboard.post("/api/jobs/again", and(body, "instead", true)).status())
                .isEqualTo(200);

        assertThat(queue("low")).singleElement().asString().doesNotContain("\"unique_lock\"");
        assertThat(throttled.enqueue("Jobs.sell", "z")).isNull();
    }

    @Test
    void aDebouncedJobIsEditedAsOneOfItsOwn() {
        dashboard
                .bean(JobClient.class)
                .queue("low")
                .debounce("order-7", Duration.ofMinutes(1), Duration.ofHours(1))
                .enqueue("Jobs.sell", "x");
        Map<String, Object> body = new HashMap<>(Map.of(
                "place",
                "scheduled",
                "key",
                dashboard.get("/api/jobs?place=scheduled").at("/items/0/key").asString(),
                "arguments",
                List.of("\"y\"")));

        assertThat(losesLock(body)).isTrue();
        assertThat(dashboard.post("/api/jobs/again", and(body, "instead", true)).status())
                .isEqualTo(200);

        assertThat(redis.opsForZSet().size("schedule")).isZero();
        assertThat(queue("low")).singleElement().asString().doesNotContain("debounce");
    }

    /** Nobody here knows what the lock was made from. */
    @Test
    void theLockOfAnUnknownJobStaysWithItsArguments() {
        String lock = ",\"unique_lock\":\"abc\",\"unique_for\":60,\"unique_until\":\"success\"}";
        redis.opsForZSet().add("retry", Payloads.failed("r1", "Ruby::Odd", "E").replaceFirst("}$", lock), 4e9);

        assertThat(losesLock(again("r1", "2"))).isTrue();
        assertThat(losesLock(again("r1", "1"))).isFalse();
        assertThat(dashboard
                        .post("/api/jobs/again", and(again("r1", "1"), "instead", true))
                        .status())
                .isEqualTo(200);
        assertThat(lock("low")).isEqualTo("abc");
    }

    /** By a middleware, after the request has named its queue. */
    @Test
    void aJobThatWasPutElsewhereIsTakenBackFromThere() {
        Reply stored = dashboard.post(
                "/api/enqueue", Map.of("job", "Jobs.sell", "arguments", List.of("\"rerouted\""), "to", "low"));
        assertThat(queue("elsewhere")).hasSize(1);

        Map<String, Object> undo = Map.of(
                "jid", stored.at("/jid").asString(),
                "place", stored.at("/place").asString(),
                "queue", stored.at("/queue").asString());

        assertThat(dashboard.post("/api/enqueue/undo", undo).at("/done").asInt())
                .isEqualTo(1);
        assertThat(queue("elsewhere")).isEmpty();
        assertThat(dashboard.post("/api/enqueue/undo", undo).at("/done").asInt())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"class\":\"Odd\",\"args\":7,\"jid\":\"odd\"}", "{\"args\":[],\"jid\":\"odd\"}", "odd"})
    void whatIsNoJobCannotBeEdited(String stored) {
        redis.opsForZSet().add("retry", stored, 4e9);
        Map<String, Object> body = Map.of(
                "place", "retries",
                "key",
                        dashboard
                                .get("/api/jobs?place=retries")
                                .at("/items/0/key")
                                .asString(),
                "arguments", List.of());

        assertThat(dashboard.post("/api/jobs/again", body).at("/error/code").asString())
                .isEqualTo("not-editable");
        redis.delete("retry");
        assertThat(dashboard.post("/api/jobs/again", body).at("/error/code").asString())
                .isEqualTo("gone");
    }

    @Test
    void theNewJobHasNoAttemptsOfTheOther() {
        String attempts = "\"past_attempts\":[{\"at\":1795237556186,\"waited\":1,\"ran\":2,\"process\":\"p\","
                + "\"error\":\"java.io.IOException\",\"message\":\"reset\"}]}";
        redis.opsForZSet()
                .add("retry", Payloads.failed("r1", "Jobs.sell", "E").replaceFirst("}$", "," + attempts), 4e9);
        assertThat(dashboard
                        .get("/api/job?place=retries&key=" + encoded(key("retries", "r1")))
                        .at("/attempts"))
                .hasSize(1);

        assertThat(dashboard.post("/api/jobs/again", again("r1", "\"x\"")).status())
                .isEqualTo(200);

        String key = dashboard
                .get("/api/jobs?place=queue&queue=low")
                .at("/items/0/key")
                .asString();
        Reply job = dashboard.get("/api/job?place=queue&queue=low&key=" + encoded(key));
        assertThat(job.at("/sought").asString()).isEqualTo("found");
        assertThat(job.at("/attempts")).isEmpty();
    }

    /** The form would send those that it has, and the others would be missing from the new job. */
    @Test
    void aJobWithMoreArgumentsThanTheFormHasIsNotEdited() {
        String before = failed("many", "Ruby::Many", numbers(201));

        Reply job = dashboard.get("/api/job?place=retries&full=true&key=" + encoded(key("retries", "many")));
        assertThat(job.at("/arguments")).hasSize(200);
        assertThat(job.at("/argumentsLeft").asInt()).isEqualTo(1);
        Map<String, Object> body = and(again("many", new String[200]), "instead", true);
        assertThat(dashboard.post("/api/jobs/again", and(body, "check", true)).status())
                .isEqualTo(409);
        Reply refused = dashboard.post("/api/jobs/again", body);
        assertThat(refused.at("/error/code").asString()).isEqualTo("not-editable");
        assertThat(refused.at("/error/message").asString()).contains("more than 200 arguments");
        assertThat(redis.opsForZSet().range("retry", 0, -1)).containsExactly(before);

        redis.delete("retry");
        failed("all", "Ruby::Many", numbers(200));
        assertThat(dashboard
                        .get("/api/job?place=retries&key=" + encoded(key("retries", "all")))
                        .at("/argumentsLeft")
                        .asInt())
                .isZero();
        assertThat(dashboard
                        .post("/api/jobs/again", again("all", new String[200]))
                        .status())
                .isEqualTo(200);
    }

    /** A job whose tags quote its hidden argument, as the form of another one gets it. */
    private Reply tagged(List<String> tags) throws Exception {
        redis.opsForZSet()
                .add(
                        "retry",
                        Payloads.failed("r1", "Orders.pay", "E")
                                .replace(
                                        "\"args\":[1]",
                                        "\"args\":[1,\"" + CARD + "\"],\"tags\":"
                                                + new String(JsonText.encode(tags), UTF_8)),
                        4e9);
        return dashboard.get("/api/job?place=retries&full=true&key=" + encoded(key("retries", "r1")));
    }

    private Object storedTags() throws Exception {
        return Payload.parse(queue("low").get(0).getBytes(UTF_8)).get("tags");
    }

    @Test
    void tagsThatAreSentAsTheyWereShownStayAsTheyAre() throws Exception {
        List<String> tags = new ArrayList<>(List.of("card " + CARD, "a, b", " c\n d ", "x".repeat(600)));
        IntStream.range(0, 20).forEach(i -> tags.add("t" + i));
        Reply job = tagged(tags);
        List<String> shown =
                job.at("/tags").valueStream().map(each -> each.asString()).toList();
        assertThat(job.text()).doesNotContain(CARD);
        assertThat(shown).hasSize(24).startsWith("card " + ArgumentMasking.HIDDEN, "a, b", "c d");

        List<String> written = new ArrayList<>(shown);
        written.remove("t3");
        written.add("new");
        Reply preview = dashboard.post("/api/jobs/again", and(again("r1", "2", null), "tags", written, "check", true));
        assertThat(preview.status()).as(preview.text()).isEqualTo(200);
        assertThat(preview.text()).contains("\"card " + ArgumentMasking.HIDDEN).doesNotContain(CARD);
        assertThat(dashboard
                        .post("/api/jobs/again", and(again("r1", "2", null), "tags", written))
                        .status())
                .isEqualTo(200);

        tags.remove("t3");
        tags.add("new");
        assertThat(storedTags()).isEqualTo(tags);
    }

    @Test
    void tagsThatAreNotSentStayAndThoseThatAreSentWithoutAnyGo() throws Exception {
        List<String> tags = List.of("card " + CARD, "blue");
        tagged(tags);

        Reply preview = dashboard.post("/api/jobs/again", and(again("r1", "2", null), "check", true));
        assertThat(preview.text()).contains("blue").doesNotContain(CARD);
        dashboard.post("/api/jobs/again", again("r1", "2", null));
        assertThat(storedTags()).isEqualTo(tags);
        redis.delete("queue:low");

        Reply stored = dashboard.post("/api/jobs/again", and(again("r1", "2", null), "tags", List.of()));
        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        assertThat(storedTags()).isEqualTo(List.of());
    }

    /** The new job would no longer hide it. */
    @Test
    void tagsDoNotTellAnArgumentThatWasReplaced() throws Exception {
        tagged(List.of("card " + CARD, "blue"));

        Map<String, Object> body = again("r1", "1", "\"5500-0000-0000-0004\"");
        assertThat(dashboard.post("/api/jobs/again", and(body, "check", true)).text())
                .doesNotContain(CARD);
        assertThat(dashboard.post("/api/jobs/again", body).status()).isEqualTo(200);
        assertThat(storedTags()).isEqualTo(List.of("card " + ArgumentMasking.HIDDEN, "blue"));
    }

    @Test
    void tagsAreBounded() throws Exception {
        tagged(List.of());
        for (Object tags : List.of(List.of("x".repeat(101)), Arrays.asList("a", null), "a", numberTexts(201))) {
            assertThat(dashboard
                            .post("/api/jobs/again", and(again("r1", "1", null), "tags", tags))
                            .status())
                    .isEqualTo(400);
        }
        assertThat(queue("low")).isEmpty();
    }

    private static List<String> numberTexts(int many) {
        return IntStream.range(0, many).mapToObj(Integer::toString).toList();
    }

    private static String numbers(int many) {
        return IntStream.range(0, many).boxed().toList().toString();
    }

    @Test
    void theNewJobIsNotInTheBatch() {
        dashboard
                .bean(Batches.class)
                .create(
                        "Import",
                        batch -> batch.add(JobCall.named("Jobs.sell", "x").with(client -> client.queue("low"))));
        String key = dashboard
                .get("/api/jobs?place=queue&queue=low")
                .at("/items/0/key")
                .asString();
        Map<String, Object> body =
                new HashMap<>(Map.of("place", "queue", "queue", "low", "key", key, "arguments", List.of("\"y\"")));

        assertThat(dashboard
                        .post("/api/jobs/again", and(body, "check", true))
                        .at("/batch")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard.post("/api/jobs/again", body).status()).isEqualTo(200);
        assertThat(queue("low"))
                .hasSize(2)
                .filteredOn(job -> job.contains("\"jb\""))
                .hasSize(1);
    }

    @Test
    void movesJobsToAnotherQueueAndBack(CapturedOutput output) {
        for (int i = 0; i < 5; i++) {
            redis.opsForList().leftPush("queue:low", Payloads.job("q" + i, "Jobs.sell", "low"));
        }
        redis.opsForSet().add("queues", "low");
        Reply list = dashboard.get("/api/jobs?place=queue&queue=low");
        List<String> keys = List.of(
                list.at("/items/1/key").asString(), list.at("/items/3/key").asString());

        Reply moved =
                dashboard.post("/api/jobs/move", Map.of("place", "queue", "queue", "low", "keys", keys, "to", "high"));

        assertThat(moved.at("/done").asInt()).isEqualTo(2);
        assertThat(moved.at("/left")).isEmpty();
        assertThat(queue("low")).hasSize(3);
        assertThat(queue("high")).hasSize(2).allMatch(job -> job.contains("\"queue\":\"high\""));
        assertThat(nextFirst("high")).containsExactly("q1", "q3");
        assertThat(output).contains("127.0.0.1: move to queue high in queue low [2]");
        List<String> back = moved.at("/back/0/keys")
                .valueStream()
                .map(each -> each.asString())
                .toList();
        assertThat(moved.at("/back/0/to").asString()).isEqualTo("low");
        assertThat(dashboard
                        .post("/api/jobs/move", Map.of("place", "queue", "queue", "high", "keys", back, "to", "low"))
                        .at("/done")
                        .asInt())
                .isEqualTo(2);
        assertThat(queue("low")).hasSize(5).allMatch(job -> job.contains("\"queue\":\"low\""));
        assertThat(nextFirst("low")).containsExactly("q0", "q2", "q4", "q1", "q3");
        assertThat(queue("high")).isEmpty();
    }

    /** The jids of the jobs of a queue, in the order in which they are taken. */
    private static List<String> nextFirst(String queue) {
        return all(dashboard.get("/api/jobs?place=queue&queue=" + queue).at("/items"), "jid");
    }

    @Test
    void movesJobsInTheirOrderIntoAnOrderedQueue() {
        for (int i = 0; i < 5; i++) {
            redis.opsForList().leftPush("queue:low", Payloads.job("q" + i, "Jobs.sell", "low"));
        }
        List<String> keys = all(dashboard.get("/api/jobs?place=queue&queue=low").at("/items"), "key");

        Reply moved = dashboard.post(
                "/api/jobs/move", Map.of("place", "queue", "queue", "low", "keys", keys, "to", "sorted"));

        assertThat(moved.at("/done").asInt()).isEqualTo(5);
        assertThat(nextFirst("sorted")).containsExactly("q0", "q1", "q2", "q3", "q4");
    }

    @Test
    void movesAllOfAQueueOrOfASet(CapturedOutput output) {
        for (int i = 0; i < 250; i++) {
            redis.opsForList().leftPush("queue:low", Payloads.job("q" + i, "Jobs.sell", "low"));
            redis.opsForZSet().add("retry", Payloads.failed("r" + i, i % 2 == 0 ? "A" : "B", "E"), 4e9 + i / 10);
        }
        assertThat(moveAll(Map.of("place", "queue", "queue", "low", "matching", Map.of(), "to", "high")))
                .isEqualTo(250);
        assertThat(moveAll(Map.of("place", "retries", "matching", Map.of("job", "A"), "to", "high")))
                .isEqualTo(125);

        assertThat(queue("low")).isEmpty();
        assertThat(queue("high")).hasSize(250).last().asString().contains("\"q0\"");
        assertThat(redis.opsForZSet().range("retry", 0, -1))
                .hasSize(250)
                .filteredOn(job -> job.contains("\"queue\":\"high\""))
                .hasSize(125);
        assertThat(output).contains("move to queue high in retries (job=A)");
        assertThat(dashboard
                        .post("/api/jobs/move", Map.of("place", "dead", "matching", Map.of(), "to", "x"))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post(
                                "/api/jobs/move",
                                Map.of("place", "queue", "queue", "high", "matching", Map.of("job", "A"), "to", "x"))
                        .status())
                .isEqualTo(400);
    }

    private static long moveAll(Map<String, ?> body) {
        long done = 0;
        String cursor = null;
        do {
            Reply step = dashboard.post("/api/jobs/move", cursor == null ? body : and(body, "cursor", cursor));
            assertThat(step.status()).as(step.text()).isEqualTo(200);
            done += step.at("/done").asLong();
            cursor = step.at("/cursor").isNull() ? null : step.at("/cursor").asString();
        } while (cursor != null);
        return done;
    }

    @Test
    void leafsFromJobToJob() {
        for (int i = 0; i < 3; i++) {
            redis.opsForZSet().add("dead", Payloads.failed("d" + i, "A", "E"), 1e9 + i);
        }
        String middle = "/api/job/neighbour?place=dead&key=" + encoded(key("dead", "d1")) + "&step=";

        assertThat(dashboard.get(middle + "next").at("/job/jid").asString()).isEqualTo("d0"); // the newest comes first
        assertThat(dashboard.get(middle + "previous").at("/job/jid").asString()).isEqualTo("d2");
        String last = "/api/job/neighbour?place=dead&key=" + encoded(key("dead", "d0"));
        assertThat(dashboard.get(last + "&step=next").at("/job").isNull()).isTrue();
        redis.opsForZSet().remove("dead", Payloads.failed("d1", "A", "E"));
        assertThat(dashboard.get(middle + "next").at("/job/jid").asString()).isEqualTo("d0");
        assertThat(dashboard.get(middle + "previous").at("/job/jid").asString()).isEqualTo("d2");
    }

    @Test
    void narrowsListsByTagAndTimeAndTurnsThem() {
        for (int i = 0; i < 30; i++) {
            String tags = i % 3 == 0 ? ",\"tags\":[\"red\",\"big\"]}" : "}";
            redis.opsForZSet().add("retry", Payloads.failed("r" + i, "A", "E").replaceFirst("}$", tags), 4e9 + i);
        }
        String list = "/api/jobs?place=retries&size=50";
        String range = "&since=4000000010000&until=4000000019000";

        assertThat(dashboard.get(list + "&tag=red").at("/items")).hasSize(10);
        assertThat(dashboard.get(list + "&tag=re").at("/items")).isEmpty();
        Reply part = dashboard.get(list + range);
        assertThat(part.at("/items")).hasSize(10);
        assertThat(part.at("/total").asInt()).isEqualTo(10);
        assertThat(part.at("/items/0/jid").asString()).isEqualTo("r10");
        assertThat(dashboard
                        .get(list + range + "&order=turned")
                        .at("/items/0/jid")
                        .asString())
                .isEqualTo("r19");
        assertThat(dashboard
                        .get("/api/count?place=retries&tag=red" + range)
                        .at("/count")
                        .asInt())
                .isEqualTo(3);
        Map<String, ?> times = Map.of("since", "4000000010000", "until", "4000000019000");
        assertThat(moveAll(Map.of("place", "retries", "matching", times, "to", "high")))
                .isEqualTo(10);
    }
}
