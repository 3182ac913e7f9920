package dev.jobs.client;

import static dev.jobs.client.ClientTestBed.NOW;
import static dev.jobs.client.ClientTestBed.TIMES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.assembly.RedisJobClient;
import io.lettuce.core.ScoredValue;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EnqueueIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static final class Reports {
        @Job(
                value = "Acme::Report",
                aliases = "OldReport",
                queue = "low",
                retry = 3,
                retryFor = 60,
                retryQueue = "again",
                dead = false,
                backtrace = 5,
                tags = {"a", "b"})
        void build(String name, int copies, List<Integer> pages) {}

        @Job(value = "Dropped", retry = Job.NONE)
        void dropped() {}

        @Job("Plain")
        void plain(String text) {}
    }

    record Person(String name, List<Integer> scores) {}

    @Test
    void aClientThatIsWarmedUpHasItsConnectionAndHasStoredNothing() {
        List<String> seen = new ArrayList<>();
        RedisJobClient client = bed.client((payload, next) -> {
            seen.add(payload.name());
            return next.proceed(payload);
        });

        client.warmUp();

        assertThat(connections()).isEqualTo(1);
        assertThat(bed.redis.texts().dbsize()).isZero();
        assertThat(seen).isEmpty();
        client.warmUp();
        client.enqueue("First");
        assertThat(connections()).isEqualTo(1);
        assertThat(seen).containsExactly("First");
    }

    private static long connections() {
        return bed.redis
                .texts()
                .clientList()
                .lines()
                .filter(each -> each.contains(" name=jobs-client "))
                .count();
    }

    @Test
    @Tag("sidekiq-0.1")
    @Tag("sidekiq-0.4")
    @Tag("sidekiq-0.19")
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-33")
    void storesAJobByteForByteAsARubyClientDoes() {
        String jid = bed.client().enqueue("HJ", "é漢😀", 1, 1.0, null, Map.of("a", Map.of()));

        assertThat(jid).matches("[0-9a-f]{24}");
        assertThat(bed.queue("default"))
                .containsExactly(
                        "{\"retry\":true,\"queue\":\"default\",\"class\":\"HJ\",\"args\":[\"é漢😀\",1,1.0,null,{\"a\":{}}],"
                                + "\"jid\":\"" + jid + "\"," + TIMES);
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("default");
    }

    @Test
    @Tag("sidekiq-2")
    void leavesNothingElseInRedisButItsNumberedPushesWhichExpire() {
        bed.client().enqueue("HJ");

        List<String> keys = bed.redis.texts().keys("*");
        assertThat(keys).hasSize(3).contains("queue:default", "queues");
        String own = keys.stream()
                .filter(key -> key.startsWith("jobs:pushes:"))
                .findFirst()
                .orElseThrow();
        assertThat(bed.redis.texts().ttl(own)).isBetween(1L, 600L);
    }

    @Test
    @Tag("sidekiq-0.3")
    @Tag("sidekiq-0.7")
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-33")
    void storesAScheduledJobWithNoTimeButItsScore() {
        Instant created = Instant.ofEpochSecond(1_795_238_150L, 75_509_300);
        RedisJobClient client = bed.client(
                bed.redis.connections(""),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.fixed(created, ZoneOffset.UTC));

        String jid = client.in(Duration.ofMillis(500)).enqueue("HJ", 1);

        assertThat(bed.redis.texts().zrangeWithScores("schedule", 0, -1))
                .containsExactly(ScoredValue.just(
                        1_795_238_150.575509,
                        "{\"retry\":true,\"queue\":\"default\",\"class\":\"HJ\",\"args\":[1],\"jid\":\"" + jid
                                + "\",\"created_at\":1795238150075}"));
        assertThat(bed.redis.texts().exists("queues", "queue:default")).isZero();
    }

    @Test
    void writesWhenAJobExpiresCountedFromItsDueTime() {
        RedisJobClient client = bed.client(
                bed.redis.connections(""),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.fixed(Instant.ofEpochSecond(1_795_238_150L), ZoneOffset.UTC));

        client.expiresIn(Duration.ofMinutes(1)).enqueue("HJ");
        client.expiresIn(Duration.ofMillis(1500)).in(Duration.ofHours(1)).enqueue("HJ");
        client.push(Map.of("class", "HJ", "args", List.of(), "expires_in", 60, "expiry", 1_795_238_000.5));

        assertThat(bed.redis.texts().lrange("queue:default", 0, -1))
                .satisfiesExactly(
                        pushed -> assertThat(pushed).contains("\"expiry\":1795238000.5"),
                        now -> assertThat(now).contains("\"expires_in\":60", "\"expiry\":1795238210.0"));
        assertThat(bed.redis.texts().zrange("schedule", 0, -1))
                .singleElement()
                .asString()
                .contains("\"expires_in\":1.5", "\"expiry\":1795241751.5");
    }

    @Test
    @Tag("sidekiq-6")
    void takesTheIdFromTwelveRandomBytes() {
        byte[] given = HexFormat.of().parseHex("b12284374a88892fbc659ea4");
        RandomGenerator random = new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new AssertionError("not asked for");
            }

            @Override
            public void nextBytes(byte[] bytes) {
                System.arraycopy(given, 0, bytes, 0, bytes.length);
            }
        };
        try (RedisJobClient client = new RedisJobClient(
                bed.redis.connections(""),
                ClientTestBed.registry(),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                random)) {
            assertThat(client.enqueue("HJ")).isEqualTo("b12284374a88892fbc659ea4");
        }
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    void writesTheAnnotationsOptionsBehindTheArguments() {
        String jid = bed.client(Reports.class).enqueue("Acme::Report", "x", 2, List.of(1, 2));

        assertThat(bed.queue("low"))
                .containsExactly("{\"retry\":3,\"queue\":\"low\",\"class\":\"Acme::Report\",\"args\":[\"x\",2,[1,2]],"
                        + "\"retry_for\":60,\"retry_queue\":\"again\",\"dead\":false,\"backtrace\":5,\"tags\":[\"a\",\"b\"],"
                        + "\"jid\":\"" + jid + "\"," + TIMES);
    }

    @Test
    @Tag("sidekiq-7.1")
    void putsTheCallsOptionsOverTheAnnotationsInTheirPlacesAndNewOnesBehind() {
        String jid = bed.client(Reports.class)
                .with("locale", "de")
                .queue("high")
                .retry(Job.DEFAULT)
                .tags("c")
                .with("retry_for", null)
                .enqueue("Acme::Report", "x");

        assertThat(bed.queue("high"))
                .containsExactly("{\"retry\":true,\"queue\":\"high\",\"class\":\"Acme::Report\",\"args\":[\"x\"],"
                        + "\"retry_for\":null,\"retry_queue\":\"again\",\"dead\":false,\"backtrace\":5,\"tags\":[\"c\"],"
                        + "\"locale\":\"de\",\"jid\":\"" + jid + "\"," + TIMES);
    }

    @Test
    @Tag("sidekiq-31")
    void storesAnAliasUnderTheNameThatWasGivenWithTheOptionsOfItsJob() {
        bed.client(Reports.class).enqueue("OldReport");

        assertThat(bed.queue("low"))
                .singleElement()
                .asString()
                .startsWith("{\"retry\":3,\"queue\":\"low\",\"class\":\"OldReport\"");
    }

    @Test
    @Tag("sidekiq-0.4")
    @Tag("sidekiq-0.5")
    @Tag("sidekiq-4")
    void writesRetriesAsSidekiqKnowsThem() {
        RedisJobClient client = bed.client(Reports.class);
        client.enqueue("Dropped");
        client.retry(4).enqueue("Dropped");
        client.retry(0).enqueue("Plain");
        client.retry(Job.NONE).enqueue("Plain");
        client.retry(Job.DEFAULT).enqueue("Dropped");
        client.enqueue("Plain");

        assertThat(bed.queue("default"))
                .extracting(stored -> stored.substring(0, stored.indexOf(",\"queue")))
                .containsExactly(
                        "{\"retry\":false",
                        "{\"retry\":4",
                        "{\"retry\":0",
                        "{\"retry\":false",
                        "{\"retry\":true",
                        "{\"retry\":true");
    }

    @Test
    @Tag("sidekiq-5")
    @Tag("sidekiq-7.3")
    void takesATimeThatIsNotInTheFutureForNow() {
        RedisJobClient client = bed.client();
        client.at(NOW).enqueue("A");
        client.at(Instant.EPOCH).enqueue("B");
        client.at(Instant.MIN).enqueue("C");
        client.in(Duration.ZERO).enqueue("D");
        client.in(Duration.ofDays(-1)).enqueue("E");
        client.in(Duration.ofDays(1)).at(NOW).enqueue("F");

        assertThat(bed.queue("default"))
                .hasSize(6)
                .allSatisfy(stored -> assertThat(stored).endsWith(TIMES).doesNotContain("\"at\""));
        assertThat(bed.scheduled()).isEmpty();
    }

    @Test
    @Tag("sidekiq-0.2")
    @Tag("sidekiq-5")
    void schedulesToTheMicrosecondAndFarAhead() {
        RedisJobClient client = bed.client();
        client.at(NOW.plusNanos(1_000)).enqueue("A");
        client.at(Instant.parse("2100-01-01T00:00:00.000001Z")).enqueue("B");
        client.in(Duration.ofSeconds(1)).enqueue("C");
        client.at(Instant.MAX).enqueue("D");

        assertThat(bed.redis.texts().zrangeWithScores("schedule", 0, -1))
                .extracting(ScoredValue::getScore)
                .containsExactly(1_795_237_556.186001, 1_795_237_557.186, 4_102_444_800.000001, 3.15568898644032e16);
        assertThat(bed.redis.texts().exists("queues")).isZero();
    }

    @Test
    @Tag("sidekiq-7.3")
    void countsADelayFromEachCall() {
        List<Instant> times = new ArrayList<>(List.of(NOW, NOW, NOW.plusSeconds(60), NOW.plusSeconds(60)));
        InstantSource source = () -> times.remove(0);
        Clock clock = source.withZone(ZoneOffset.UTC);
        JobClient later = bed.client(bed.redis.connections(""), JobHooks.none(), ClientConfig.defaults(), clock)
                .in(Duration.ofSeconds(10));
        later.enqueue("A");
        later.enqueue("B");

        assertThat(bed.redis.texts().zrangeWithScores("schedule", 0, -1))
                .extracting(ScoredValue::getScore)
                .containsExactly(1_795_237_566.186, 1_795_237_626.186);
    }

    @Test
    void leavesAClientAsItIsWhenAnotherIsMadeFromIt() {
        RedisJobClient client = bed.client();
        client.queue("other").retry(1).tags("x").with("y", 1).in(Duration.ofDays(1));
        client.enqueue("A");

        assertThat(bed.queue("default"))
                .singleElement()
                .asString()
                .startsWith("{\"retry\":true,\"queue\":\"default\",\"class\":\"A\",\"args\":[],\"jid\"");
    }

    @Test
    void encodesAnOptionWhenItIsGivenSoThatALaterChangeReachesNoJob() {
        List<String> changing = new ArrayList<>(List.of("one"));
        JobClient client = bed.client().with("own", changing);
        changing.add("two");
        client.enqueue("A");

        assertThat(bed.queue("default")).singleElement().asString().contains("\"own\":[\"one\"]");
    }

    @Test
    void carriesRecordsTimesAndDecimalsAsArguments() {
        bed.client()
                .enqueue(
                        "A",
                        new Person("Bö", Arrays.asList(1, null)),
                        Instant.ofEpochSecond(1),
                        new java.math.BigDecimal("1.10"));

        assertThat(bed.queue("default"))
                .singleElement()
                .asString()
                .contains("\"args\":[{\"name\":\"Bö\",\"scores\":[1,null]},\"1970-01-01T00:00:01Z\",\"1.10\"]");
    }

    @Test
    void takesFewerArgumentsThanTheMethodHas() {
        bed.client(Reports.class).enqueue("Acme::Report");

        assertThat(bed.queue("low")).singleElement().asString().contains("\"args\":[],");
    }

    @Test
    void takesANullInPlaceOfTheArgumentsForOneArgument() {
        bed.client().enqueue("A", (Object[]) null);

        assertThat(bed.queue("default")).singleElement().asString().contains("\"args\":[null],");
    }

    @Test
    void prefixesEveryKey() {
        RedisJobClient client = bed.client(
                bed.redis.connections("{shop}:"),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.fixed(NOW, ZoneOffset.UTC));
        client.enqueue("A");
        client.in(Duration.ofDays(1)).enqueue("A");

        assertThat(bed.redis.texts().keys("*")).hasSize(4).allSatisfy(key -> assertThat(key)
                .startsWith("{shop}:"));
        assertThat(bed.redis.texts().smembers("{shop}:queues")).containsExactly("default");
    }

    @Test
    void notifiesListenersOfEachStoredJob() {
        List<String> heard = new ArrayList<>();
        RedisJobClient client = bed.client(new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                heard.add(name + " " + queue + " " + count + " " + scheduled);
            }
        });
        client.queue("q").enqueue("A");
        client.in(Duration.ofDays(1)).enqueue("B");

        assertThat(heard).containsExactly("A q 1 false", "B default 1 true");
    }

    @Test
    void opensItsConnectionWithTheFirstJobAndNamesIt() {
        RedisJobClient client = bed.client();
        assertThat(bed.redis.texts().clientList()).doesNotContain("name=jobs-client");
        client.enqueue("A");
        assertThat(bed.redis.texts().clientList()).containsOnlyOnce("name=jobs-client");
    }

    @Test
    void letsTwoClientsWithTheSameIdsStoreSideBySide() {
        bed.client().enqueue("A");
        bed.client().enqueue("A");

        assertThat(bed.queue("default")).hasSize(2);
    }

    @Test
    @Tag("sidekiq-6")
    void makesDistinctIds() {
        try (RedisJobClient client = new RedisJobClient(
                bed.redis.connections(""),
                ClientTestBed.registry(),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom())) {
            assertThat(client.enqueueAll("A", java.util.Collections.nCopies(2_000, List.of())))
                    .hasSize(2_000)
                    .doesNotHaveDuplicates();
        }
    }
}
