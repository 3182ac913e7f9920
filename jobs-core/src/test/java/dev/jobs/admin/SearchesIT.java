package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScoredValue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SearchesIT {

    private static final int MANY = 20_000;
    private static final ScanBudget AMPLE = new ScanBudget(100_000, Duration.ofSeconds(10));

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""), new DeadSetLimits(10_000, Duration.ofDays(180)), JobHooks.none(), Clock.systemUTC());

    @BeforeEach
    void empty() {
        redis.flush();
    }

    private static String job(int number) {
        return "{\"class\":\"A\",\"args\":[\"n" + number + "n\"],\"jid\":\"j" + number + "\",\"queue\":\"q\"}";
    }

    @SuppressWarnings("unchecked")
    private static void seed(String key, int count, double score, double step) {
        for (int from = 0; from < count; from += 1_000) {
            redis.texts()
                    .zadd(
                            key,
                            IntStream.range(from, Math.min(from + 1_000, count))
                                    .mapToObj(i -> ScoredValue.just(score + i * step, job(i)))
                                    .toArray(ScoredValue[]::new));
        }
    }

    private static List<String> jids(List<JobRecord> jobs) {
        return jobs.stream().map(JobRecord::jid).toList();
    }

    @Test
    @Tag("sidekiq-20.1")
    void pagesThroughSetsSoonestFirstAndTheDeadNewestFirst() {
        seed("schedule", MANY, 1_000, 1);
        seed("dead", 25, 1_000, 1);

        Page<JobRecord> page = admin.jobs(JobSet.SCHEDULED, 100, 200);
        assertThat(page.total()).isEqualTo(MANY);
        assertThat(page.pages()).isEqualTo(100);
        assertThat(jids(page.items()))
                .isEqualTo(
                        IntStream.range(19_800, 20_000).mapToObj(i -> "j" + i).toList());
        assertThat(page.items().get(0).at()).isEqualTo(Instant.ofEpochSecond(20_800));
        assertThat(page.items().get(0).set()).isEqualTo(JobSet.SCHEDULED);
        assertThat(page.items().get(0).queue()).isEqualTo("q");

        assertThat(jids(admin.jobs(JobSet.DEAD, 1, 3).items())).containsExactly("j24", "j23", "j22");
        assertThat(jids(admin.jobs(JobSet.DEAD, 9, 3).items())).containsExactly("j0");
        assertThat(admin.jobs(JobSet.DEAD, 1_000_000_000_000L, 3).page()).isEqualTo(9);
        assertThat(admin.jobs(JobSet.RETRY, 1, 3)).isEqualTo(new Page<>(List.of(), 1, 3, 0));
    }

    @ParameterizedTest
    @EnumSource(JobSet.class)
    @Tag("sidekiq-20.1")
    void findsEveryJobThatContainsATextInABigSet(JobSet set) {
        String key = set == JobSet.SCHEDULED ? "schedule" : set == JobSet.RETRY ? "retry" : "dead";
        seed(key, MANY, 1_000, 1);

        ScanResult found = admin.scan(set, "n1234", 1_000, AMPLE);

        List<String> expected = List.of(
                "j1234", "j12340", "j12341", "j12342", "j12343", "j12344", "j12345", "j12346", "j12347", "j12348",
                "j12349");
        if (set == JobSet.DEAD) {
            assertThat(jids(found.jobs())).containsExactlyElementsOf(reversed(expected));
        } else {
            assertThat(jids(found.jobs())).isEqualTo(expected);
        }
        assertThat(found.partial()).isFalse();
        assertThat(found.jobs()).allSatisfy(job -> assertThat(job.set()).isEqualTo(set));
    }

    private static List<String> reversed(List<String> list) {
        return IntStream.range(0, list.size())
                .mapToObj(i -> list.get(list.size() - 1 - i))
                .toList();
    }

    @Test
    void saysWhenItDidNotLookAtEverything() {
        seed("retry", MANY, 1_000, 1);

        ScanResult fewEntries = admin.scan(JobSet.RETRY, "class", 1_000, new ScanBudget(500, Duration.ofSeconds(10)));
        assertThat(fewEntries.partial()).isTrue();
        assertThat(fewEntries.jobs()).hasSizeBetween(100, 900).doesNotHaveDuplicates();

        ScanResult noTime = admin.scan(JobSet.RETRY, "class", 1_000, new ScanBudget(10_000, Duration.ZERO));
        assertThat(noTime.partial()).isTrue();
        assertThat(noTime.jobs()).hasSizeBetween(1, 300);

        ScanResult lowLimit = admin.scan(JobSet.RETRY, "class", 7, AMPLE);
        assertThat(lowLimit.partial()).isTrue();
        assertThat(lowLimit.jobs()).hasSize(7);

        ScanResult nowhere = admin.scan(JobSet.RETRY, "nowhere", 7, ScanBudget.standard());
        assertThat(nowhere.partial()).isTrue();
        assertThat(nowhere.jobs()).isEmpty();
    }

    @Test
    void aLimitThatIsJustEnoughIsNotPartial() {
        seed("retry", 7, 1, 1);

        assertThat(admin.scan(JobSet.RETRY, "class", 7, AMPLE).partial()).isFalse();
        assertThat(admin.scan(JobSet.RETRY, "class", 6, AMPLE).partial()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*", "?", "[", "]", "\\", "^", "-", "[a-z]", "a*b", "\\*", "[^x]", "é", "漢😀", "\"", "{\"x\"", "%s",
                "'", " "
            })
    void noCharacterOfATextHasASpecialMeaning(String text) {
        redis.texts().zadd("retry", 1, "before " + text + " after");
        redis.texts().zadd("retry", 2, "something_else:zzab");
        redis.texts().lpush("queue:a b é", "before " + text + " after", "something_else:zzab");

        assertThat(admin.scan(JobSet.RETRY, text, 10, AMPLE).jobs())
                .extracting(job -> job.text(100))
                .containsExactly("before " + text + " after");
        assertThat(admin.scan("a b é", text, 10, AMPLE).jobs())
                .extracting(job -> job.text(100))
                .containsExactly("before " + text + " after");
    }

    @Test
    void refusesTextsAndLimitsThatAreOutOfBounds() {
        assertThatThrownBy(() -> admin.scan(JobSet.RETRY, "", 10, AMPLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'text' must have 1 to 200 characters but had 0");
        assertThatThrownBy(() -> admin.scan("q", "x".repeat(201), 10, AMPLE))
                .hasMessage("'text' must have 1 to 200 characters but had 201");
        assertThatThrownBy(() -> admin.scan("q", "x", 0, AMPLE)).hasMessage("'limit' must be 1 to 1000 but was 0");
        assertThatThrownBy(() -> admin.find(JobSet.RETRY, "", AMPLE))
                .hasMessage("'jid' must have 1 to 200 characters but had 0");
        assertThatThrownBy(() -> new ScanBudget(0, Duration.ZERO))
                .hasMessage("'entries' must be 1 to 1000000 but was 0");
        assertThatThrownBy(() -> new ScanBudget(1, Duration.ofSeconds(11)))
                .hasMessage("'time' must be 0 to PT10S but was PT11S");
    }

    @Test
    void findsAJobByItsIdAndAllWhenThereAreSeveral() {
        seed("retry", MANY, 1_000, 1);
        redis.texts().zadd("retry", 5, "{\"jid\":\"j77\",\"class\":\"Twin\"}");
        redis.texts().zadd("retry", 6, "{\"jid\":\"other\",\"args\":[\"j77\"]}");

        ScanResult found = admin.find(JobSet.RETRY, "j77", AMPLE);

        assertThat(found.jobs()).extracting(JobRecord::name).containsExactly("Twin", "A");
        assertThat(found.partial()).isFalse();
        assertThat(admin.find(JobSet.RETRY, "j", AMPLE).jobs()).isEmpty();
        assertThat(admin.find(JobSet.RETRY, "\ud800", AMPLE)).isEqualTo(new ScanResult(List.of(), false));
    }

    @Test
    void findsAnIdWithOddCharacters() {
        redis.texts().zadd("retry", 5, "{\"jid\":\"a\\\"b*\\\\é\"}");

        assertThat(admin.find(JobSet.RETRY, "a\"b*\\é", AMPLE).jobs()).hasSize(1);
    }

    @Test
    @Tag("sidekiq-20.1")
    void findsJobsByTheirScore() {
        seed("retry", 250, 1795238150.5755093, 0);
        redis.texts().zadd("retry", 1795238150.5755096, job(1_000));
        redis.texts().zadd("retry", Double.POSITIVE_INFINITY, job(1_001));
        redis.texts().zadd("retry", Double.NEGATIVE_INFINITY, job(1_002));

        assertThat(admin.findByScore(JobSet.RETRY, 1795238150.5755093, AMPLE).jobs())
                .hasSize(250);
        assertThat(jids(admin.findByScore(JobSet.RETRY, 1795238150.5755093, "j249", AMPLE)
                        .jobs()))
                .containsExactly("j249");
        assertThat(jids(admin.findByScore(JobSet.RETRY, Double.POSITIVE_INFINITY, AMPLE)
                        .jobs()))
                .containsExactly("j1001");
        assertThat(jids(admin.findByScore(JobSet.RETRY, Double.NEGATIVE_INFINITY, AMPLE)
                        .jobs()))
                .containsExactly("j1002");
        assertThat(admin.findByScore(JobSet.RETRY, 3, AMPLE)).isEqualTo(new ScanResult(List.of(), false));
        assertThat(admin.findByScore(JobSet.RETRY, 1795238150.5755093, new ScanBudget(100, Duration.ofSeconds(1)))
                        .partial())
                .isTrue();
        assertThatThrownBy(() -> admin.findByScore(JobSet.RETRY, Double.NaN, AMPLE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void looksThroughAQueueNewestFirst() {
        for (int from = 0; from < MANY; from += 1_000) {
            redis.texts()
                    .lpush(
                            "queue:a b é",
                            IntStream.range(from, from + 1_000)
                                    .mapToObj(SearchesIT::job)
                                    .toArray(String[]::new));
        }

        ScanResult all = admin.scan("a b é", "n1999", 100, AMPLE);
        assertThat(jids(all.jobs()))
                .startsWith("j19999", "j19998")
                .endsWith("j1999")
                .hasSize(11);
        assertThat(all.partial()).isFalse();
        assertThat(all.jobs().get(0).queue()).isEqualTo("a b é");

        ScanResult standard = admin.scan("a b é", "\"n1n\"", 100, ScanBudget.standard());
        assertThat(standard).isEqualTo(new ScanResult(List.of(), true));
        ScanResult noTime = admin.scan("a b é", "class", 1_000, new ScanBudget(10_000, Duration.ZERO));
        assertThat(noTime.jobs()).hasSize(100);
        assertThat(noTime.partial()).isTrue();
        ScanResult lowLimit = admin.scan("a b é", "class", 3, AMPLE);
        assertThat(jids(lowLimit.jobs())).containsExactly("j19999", "j19998", "j19997");
        assertThat(lowLimit.partial()).isTrue();
    }

    @Test
    void findsRawBytesThatAreNoJob() {
        byte[] garbage = {(byte) 0xff, 'n', 'e', 'e', 'd', 'l', 'e', 0};
        redis.bytes().zadd("dead".getBytes(UTF_8), Double.POSITIVE_INFINITY, garbage);

        JobRecord found = admin.scan(JobSet.DEAD, "needle", 10, AMPLE).jobs().get(0);

        assertThat(found.bytes()).isEqualTo(garbage);
        assertThat(found.score()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(found.at()).isNull();
    }
}
