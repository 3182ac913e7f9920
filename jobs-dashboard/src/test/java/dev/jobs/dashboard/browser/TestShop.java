package dev.jobs.dashboard.browser;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobParam;
import dev.jobs.admin.Finding;
import dev.jobs.admin.FindingSource;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.dashboard.EndedJobs;
import dev.jobs.databases.Database;
import dev.jobs.deaths.OnDeath;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.history.JobHistory;
import dev.jobs.limiters.Limiters;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.redis.RedisConnections;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ZSetOperations.TypedTuple;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An application with the dashboard below a context path, on its own Redis. Its workers serve only the queue
 * {@code default}, so jobs put elsewhere stay there.
 */
final class TestShop implements AutoCloseable {

    private static final String TOKEN = "token-of-this-shop";
    private static final String ELSEWHERE = "elsewhere";
    /** Only Spring MVC runs on it here. */
    private static final String TOMCAT =
            "org.springframework.boot.tomcat.autoconfigure.reactive.TomcatReactiveWebServerAutoConfiguration";

    private final EmbeddedRedis server;
    private final ConfigurableApplicationContext context;
    private final StringRedisTemplate redis;
    private final JsonMapper json = new JsonMapper();
    private final EndedJobs ended;
    private int jids;

    TestShop() {
        this(WebApplicationType.SERVLET);
    }

    /** @param more arguments of the application */
    TestShop(WebApplicationType type, String... more) {
        server = EmbeddedRedis.start();
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.servlet.context-path=/shop",
                "--spring.webflux.base-path=/shop",
                "--spring.autoconfigure.exclude=" + TOMCAT,
                "--spring.application.name=shop",
                "--spring.main.banner-mode=off",
                "--spring.data.redis.url=" + server.uri(),
                "--jobs.dashboard.access=local",
                "--jobs.dashboard.token=" + TOKEN,
                "--jobs.ordered-queues.tenants=fair",
                "--jobs.ordered-queues.urgent=priority",
                "--jobs.dashboard.system.environment=staging",
                "--jobs.dashboard.system.colour=orange"));
        arguments.addAll(List.of(more));
        context = new SpringApplicationBuilder(Application.class).web(type).run(arguments.toArray(String[]::new));
        redis = context.getBean(StringRedisTemplate.class);
        ended = new EndedJobs(context.getBean(RedisConnections.class));
    }

    /** The address of a page, such as {@code queue?name=low}. */
    String page(String page) {
        return "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/shop/jobs/" + page;
    }

    /** What the log shows at start: a browser that opens it may see the others. */
    String link() {
        return page("?token=" + TOKEN);
    }

    JobClient jobs() {
        return context.getBean(JobClient.class);
    }

    Limiters limiters() {
        return context.getBean(Limiters.class);
    }

    RecurringJobs recurring() {
        return context.getBean(RecurringJobs.class);
    }

    Batches batches() {
        return context.getBean(Batches.class);
    }

    /** Ends jobs of batches. */
    EndedJobs ended() {
        return ended;
    }

    JobHistory history() {
        return context.getBean(JobHistory.class);
    }

    JobsAdmin admin() {
        return context.getBean(JobsAdmin.class);
    }

    /** The gate that the jobs {@code Gate.pass} and {@code Orders.ship} pass. */
    Gate gate() {
        return context.getBean(Gate.class);
    }

    StringRedisTemplate redis() {
        return redis;
    }

    /** Adds a warning, until all is removed. */
    void warn(Finding warning) {
        context.getBean(Warnings.class).all.add(warning);
    }

    /** Removes all jobs from all places, and all processes but our own. */
    void empty() {
        context.getBean(Warnings.class).all.clear();
        context.getBean(Database.class)
                .execute("delete from jobs_task; delete from jobs_task_tag; delete from jobs_event");
        redis.delete(List.of("queues", "paused", "schedule", "retry", "dead"));
        for (String pattern : List.of(
                "queue:*",
                "jobs:order:*",
                "jobs:tags:*",
                "jobs:trash*",
                "jobs:batch*",
                "jobs:limiter*",
                "cron_job*",
                "unique:*",
                ELSEWHERE + ":*")) {
            redis.delete(keys(pattern));
        }
        Set<String> processes = redis.opsForSet().members("processes");
        for (String identity : processes == null ? Set.<String>of() : processes) {
            if (identity.startsWith(ELSEWHERE)) {
                redis.opsForSet().remove("processes", identity);
            }
        }
    }

    private Set<String> keys(String pattern) {
        Set<String> keys = redis.keys(pattern);
        return keys == null ? Set.of() : keys;
    }

    /** Registers a Ruby process on a machine named {@code elsewhere}, and returns its identity. */
    String process(int pid, int busy) {
        return process(pid, busy, Map.of());
    }

    /** The same, which says more of itself. */
    String process(int pid, int busy, Map<String, Object> more) {
        String identity = ELSEWHERE + ":" + pid + ":0123456789ab";
        long now = Instant.now().getEpochSecond();
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("hostname", ELSEWHERE);
        info.put("started_at", now);
        info.put("pid", pid);
        info.put("tag", "ruby");
        info.put("concurrency", 5);
        info.put("queues", List.of("other"));
        info.put("labels", List.of());
        info.put("identity", identity);
        info.put("version", "8.1.7");
        info.put("embedded", false);
        info.putAll(more);
        redis.opsForSet().add("processes", identity);
        redis.opsForHash()
                .putAll(
                        identity,
                        Map.of(
                                "info", json.writeValueAsString(info),
                                "concurrency", "5",
                                "busy", Integer.toString(busy),
                                "beat", Long.toString(now),
                                "quiet", "false",
                                "rss", "96432",
                                "rtt_us", "100"));
        return identity;
    }

    /** Lets a registered process run a job, as far as others see. */
    void run(String identity, String thread, Payload payload, Duration since) {
        Map<String, Object> work = Map.of(
                "queue", payload.queue(),
                "payload", payload.stored(),
                "run_at", Instant.now().minus(since).getEpochSecond());
        redis.opsForHash().put(identity + ":work", thread, json.writeValueAsString(work));
    }

    /** What the dashboard answers, such as to {@code jobs?place=dead}. */
    JsonNode api(String call) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(page("api/" + call)))
                .header("Sec-Fetch-Site", "same-origin")
                .header("Jobs-Token", TOKEN)
                .build();
        try {
            return json.readTree(HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A payload as it is stored. */
    Payload payload(String name, String queue, Object... arguments) {
        return new Payload(json, name, queue, String.format("%024x", ++jids), List.of(arguments));
    }

    /** Puts a job into a queue. */
    void enqueue(Payload payload) {
        redis.opsForSet().add("queues", payload.queue());
        redis.opsForList().leftPush("queue:" + payload.queue(), payload.stored());
    }

    /** Puts a job into a set, due after the given time from now. */
    void put(String set, Payload payload, Duration fromNow) {
        redis.opsForZSet()
                .add(set, payload.stored(), Instant.now().plus(fromNow).toEpochMilli() / 1000.0);
    }

    List<String> queue(String name) {
        List<String> jobs = redis.opsForList().range("queue:" + name, 0, -1);
        return jobs == null ? List.of() : jobs;
    }

    List<String> set(String name) {
        Set<String> jobs = redis.opsForZSet().range(name, 0, -1);
        return jobs == null ? List.of() : new ArrayList<>(jobs);
    }

    /** The times of the jobs of a set, in epoch seconds. */
    List<Double> times(String name) {
        Set<TypedTuple<String>> jobs = redis.opsForZSet().rangeWithScores(name, 0, -1);
        return jobs == null
                ? List.of()
                : jobs.stream().map(TypedTuple::getScore).toList();
    }

    @Override
    public void close() {
        gate().open();
        ended.close();
        context.close();
        server.close();
    }

    /** A job as it is stored. */
    record Payload(
            JsonMapper json, String name, String queue, String jid, List<Object> arguments, Map<String, Object> more) {

        Payload(JsonMapper json, String name, String queue, String jid, List<Object> arguments) {
            this(json, name, queue, jid, arguments, Map.of());
        }

        /** The same, after a failed first attempt. */
        Payload failed(String type, String message) {
            long now = System.currentTimeMillis();
            return with(Map.of(
                    "error_class",
                    type,
                    "error_message",
                    message,
                    "failed_at",
                    now - 60_000,
                    "retried_at",
                    now - 30_000,
                    "retry_count",
                    1));
        }

        /** The same with more members. */
        Payload with(Map<String, Object> members) {
            Map<String, Object> all = new LinkedHashMap<>(more);
            all.putAll(members);
            return new Payload(json, name, queue, jid, arguments, all);
        }

        String stored() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("class", name);
            members.put("args", arguments);
            members.put("queue", queue);
            members.put("jid", jid);
            members.put("retry", true);
            members.put("created_at", System.currentTimeMillis() - 90_000);
            members.put("enqueued_at", System.currentTimeMillis() - 90_000);
            members.putAll(more);
            return json.writeValueAsString(members);
        }
    }

    /** Holds its jobs while it is shut. */
    static final class Gate {

        private volatile CountDownLatch opened = new CountDownLatch(0);

        @Job(interruptible = true)
        void pass(String who) throws InterruptedException {
            opened.await();
        }

        @Job("Orders.ship")
        void ship(String order, String how) throws InterruptedException {
            opened.await();
        }

        @Job("Shops.sync")
        @Limit(name = "erp", key = "shop {0}", concurrency = 1)
        void sync(int shop) throws InterruptedException {
            opened.await();
        }

        /** Tells of half of its rows, passes the gate, tells of the rest, and fails if it shall. */
        @Job("Rows.load")
        void load(int rows, boolean fails, JobContext job) throws InterruptedException {
            job.progress(rows / 2, rows);
            job.log("Row 1 is <b>empty</b>");
            opened.await();
            job.progress(rows, rows);
            job.log("All rows are loaded");
            if (fails) {
                throw new IllegalStateException("Row " + rows + " is wrong");
            }
        }

        @Job("Mails.welcome")
        void welcome(String to, int visits) {}

        @Job("Mails.remind")
        void remind(String to, @JobParam(defaultValue = "true") boolean politely) {}

        @OnDeath("remind")
        void notReminded(String to) {}

        void shut() {
            opened = new CountDownLatch(1);
        }

        void open() {
            opened.countDown();
        }
    }

    /** Accepts products with an even number. */
    static final class Catalog {

        @Job("Catalog.enroll")
        String enroll(int product, String campaign) {
            if (product % 2 == 1) {
                throw new JobFailedException("Product " + product + " is not qualified for " + campaign);
            }
            return "enrolled";
        }
    }

    /** Warnings of the application's own. */
    static final class Warnings implements FindingSource {

        private final List<Finding> all = new CopyOnWriteArrayList<>();

        @Override
        public List<Finding> find() {
            return all;
        }
    }

    /** Spring Security admits everyone here, but still requires its token with each action. */
    @SpringBootApplication(proxyBeanMethods = false)
    static class Application {

        /** Spring MVC. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = Type.SERVLET)
        static class Servlets {

            @Bean
            SecurityFilterChain openDoors(HttpSecurity http) throws Exception {
                return http.authorizeHttpRequests(
                                requests -> requests.anyRequest().permitAll())
                        .build();
            }
        }

        /** WebFlux. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = Type.REACTIVE)
        static class Reactive {

            @Bean
            SecurityWebFilterChain openDoors(ServerHttpSecurity http) {
                return http.authorizeExchange(
                                exchanges -> exchanges.anyExchange().permitAll())
                        .build();
            }
        }

        @Bean
        Warnings warnings() {
            return new Warnings();
        }

        @Bean
        Gate gate() {
            return new Gate();
        }

        @Bean
        Catalog catalog() {
            return new Catalog();
        }

        @Bean
        Database database() {
            return Database.h2();
        }

        @Bean
        DataSource dataSource(Database database) {
            return database.source();
        }

        /** Rejects jobs of one name. */
        @Bean
        EnqueueMiddleware veto() {
            return (payload, next) -> payload.name().equals("Reports.vetoed") ? null : next.proceed(payload);
        }
    }
}
