package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScoredValue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SearchesIT {

    private static final int MANY = 20_000;
    private static final ScanBudget AMPLE = new ScanBudget(100_000, Duration.ofSeconds(10));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    static final JobsAdmin admin = new JobsAdmin(
            redis.connections(""), new DeadSetBounds(10_000, Duration.ofDays(180)), JobHooks.none(), Clock.systemUTC());

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

    private static List<String> jids(List<ListedJob> jobs) {
        return jobs.stream().map(each -> each.job().jid()).toList();
    }

    private static Page<ListedJob> search(JobSet set, String text, int size, ScanBudget budget) {
        return admin.sets().jobs(set, job -> job.contains(text), 0, size, budget);
    }

    private static Page<ListedJob> search(String queue, String text, int size, ScanBudget budget) {
        return admin.queues().jobs(queue, Order.NEWEST_FIRST, job -> job.contains(text), 0, size, budget);
    }

    @Test
    @Tag("sidekiq-20.1")
    void pagesThroughSetsSoonestFirstAndTheDeadNewestFirst() {
        seed("schedule", MANY, 1_000, 1);
        seed("dead", 25, 1_000, 1);

        Page<ListedJob> page = admin.sets().jobs(JobSet.SCHEDULED, job -> true, 19_800, 200, AMPLE);
        assertThat(page.total()).isEqualTo(MANY);
        assertThat(page.next()).isEqualTo(-1);
        assertThat(jids(page.items()))
                .isEqualTo(
                        IntStream.range(19_800, 20_000).mapToObj(i -> "j" + i).toList());
        assertThat(page.items().get(0).index()).isEqualTo(19_800);
        JobRecord first = page.items().get(0).job();
        assertThat(first.at()).isEqualTo(Instant.ofEpochSecond(20_800));
        assertThat(first.set()).isEqualTo(JobSet.SCHEDULED);
        assertThat(first.queue()).isEqualTo("q");

        assertThat(jids(dead(0).items())).containsExactly("j24", "j23", "j22");
        assertThat(jids(dead(24).items())).containsExactly("j0");
        assertThat(dead(1_000_000_000_000L).from()).isEqualTo(24);
        assertThat(admin.sets().jobs(JobSet.RETRY, job -> true, 0, 3, AMPLE))
                .isEqualTo(new Page<>(List.of(), 0, -1, 0, false));
    }

    private static Page<ListedJob> dead(long from) {
        return admin.sets().jobs(JobSet.DEAD, job -> true, from, 3, AMPLE);
    }

    @LongTest
    @ParameterizedTest
    @EnumSource(JobSet.class)
    @Tag("sidekiq-20.1")
    void findsEveryJobThatContainsATextInABigSet(JobSet set) {
        String key = set == JobSet.SCHEDULED ? "schedule" : set == JobSet.RETRY ? "retry" : "dead";
        seed(key, MANY, 1_000, 1);

        Page<ListedJob> found = search(set, "n1234", 200, AMPLE);

        List<String> expected = List.of(
                "j1234", "j12340", "j12341", "j12342", "j12343", "j12344", "j12345", "j12346", "j12347", "j12348",
                "j12349");
        if (set == JobSet.DEAD) {
            assertThat(jids(found.items())).containsExactlyElementsOf(reversed(expected));
        } else {
            assertThat(jids(found.items())).isEqualTo(expected);
        }
        assertThat(found.partial()).isFalse();
        assertThat(found.next()).isEqualTo(-1);
        assertThat(found.items())
                .allSatisfy(each -> assertThat(each.job().set()).isEqualTo(set));
        assertThat(admin.sets().count(set, job -> job.contains("n1234"), AMPLE))
                .isEqualTo(new JobCount(11, MANY, false));
    }

    private static List<String> reversed(List<String> list) {
        return IntStream.range(0, list.size())
                .mapToObj(i -> list.get(list.size() - 1 - i))
                .toList();
    }

    @Test
    void reportsThatItDidNotLookAtEverything() {
        seed("retry", MANY, 1_000, 1);

        Page<ListedJob> fewEntries = search(JobSet.RETRY, "n", 200, new ScanBudget(150, Duration.ofSeconds(10)));
        assertThat(fewEntries.partial()).isTrue();
        assertThat(fewEntries.items()).hasSize(150).doesNotHaveDuplicates();
        assertThat(fewEntries.next()).isEqualTo(150);

        Page<ListedJob> noTime = search(JobSet.RETRY, "class", 200, new ScanBudget(10_000, Duration.ZERO));
        assertThat(noTime.partial()).isTrue();
        assertThat(noTime.items()).hasSize(1);

        Page<ListedJob> nowhere = search(JobSet.RETRY, "nowhere", 7, ScanBudget.standard());
        assertThat(nowhere.partial()).isTrue();
        assertThat(nowhere.items()).isEmpty();
        assertThat(admin.sets().count(JobSet.RETRY, job -> true, new ScanBudget(150, Duration.ofSeconds(10))))
                .isEqualTo(new JobCount(150, MANY, true));
        assertThat(admin.sets().findById(JobSet.RETRY, "nowhere", new ScanBudget(500, Duration.ofSeconds(10))))
                .isEqualTo(new Found<>(List.of(), true));
    }

    @Test
    void aFullPageIsNotPartial() {
        seed("retry", 7, 1, 1);

        Page<ListedJob> all = search(JobSet.RETRY, "class", 7, AMPLE);
        assertThat(all.partial()).isFalse();
        assertThat(all.next()).isEqualTo(-1);
        Page<ListedJob> six = search(JobSet.RETRY, "class", 6, AMPLE);
        assertThat(six.partial()).isFalse();
        assertThat(six.next()).isEqualTo(6);
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

        assertThat(search(JobSet.RETRY, text, 10, AMPLE).items())
                .extracting(each -> each.job().text(100))
                .containsExactly("before " + text + " after");
        assertThat(search("a b é", text, 10, AMPLE).items())
                .extracting(each -> each.job().text(100))
                .containsExactly("before " + text + " after");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*", "?", "[", "]", "\\", "^", "-", "[a-z]", "a*b", "\\*", "[^x]", "é", "漢😀", "\"", "{\"x\"", "%s",
                "'", " "
            })
    void noCharacterOfAnIdHasASpecialMeaning(String jid) throws JsonException {
        String job = new String(JsonText.encode(Map.of("jid", jid)), UTF_8);
        redis.texts().zadd("retry", 1, job);
        redis.texts().zadd("retry", 2, "{\"jid\":\"something_else:zzab\"}");
        redis.texts().lpush("queue:q", job, "{\"jid\":\"something_else:zzab\"}");

        assertThat(jids(admin.sets().findById(JobSet.RETRY, jid, AMPLE).items()))
                .containsExactly(jid);
        assertThat(jids(admin.queues().findById("q", jid, AMPLE).items())).containsExactly(jid);
    }

    @Test
    void refusesIdsAndBudgetsThatAreOutOfBounds() {
        assertThatThrownBy(() -> admin.sets().findById(JobSet.RETRY, "", AMPLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'jid' must have 1 to 200 characters but had 0");
        assertThatThrownBy(() -> admin.sets().findById(JobSet.RETRY, "x".repeat(201), AMPLE))
                .hasMessage("'jid' must have 1 to 200 characters but had 201");
        assertThatThrownBy(() -> admin.queues().findById("q", "", AMPLE))
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

        Found<ListedJob> found = admin.sets().findById(JobSet.RETRY, "j77", AMPLE);

        assertThat(found.items()).extracting(each -> each.job().name()).containsExactly("Twin", "A");
        assertThat(found.items()).extracting(ListedJob::index).containsExactly(0L, 79L);
        assertThat(found.partial()).isFalse();
        assertThat(admin.sets().findById(JobSet.RETRY, "j", AMPLE).items()).isEmpty();
        assertThat(admin.sets().findById(JobSet.RETRY, "\ud800", AMPLE)).isEqualTo(new Found<>(List.of(), false));
    }

    /** A command costs Redis more than a look at an entry. */
    @Test
    void looksAtManyEntriesWithOneCommandWhereNoneMatches() {
        seed("retry", MANY, 1_000, 1);
        redis.texts().configResetstat();

        admin.sets().findById(JobSet.RETRY, "nowhere", new ScanBudget(5_000, Duration.ofSeconds(10)));

        Matcher calls = Pattern.compile("cmdstat_zscan:calls=(\\d+)")
                .matcher(redis.texts().info("commandstats"));
        assertThat(calls.find()).isTrue();
        assertThat(Integer.parseInt(calls.group(1))).isLessThan(1_000);
    }

    @Test
    void findsAtMostTwentyJobsOfOneId() {
        for (int i = 0; i < 20; i++) {
            redis.texts().zadd("retry", i, "{\"jid\":\"twin\",\"n\":" + i + "}");
            redis.texts().lpush("queue:q", "{\"jid\":\"twin\",\"n\":" + i + "}");
        }
        assertThat(admin.sets().findById(JobSet.RETRY, "twin", AMPLE).items()).hasSize(20);
        assertThat(admin.sets().findById(JobSet.RETRY, "twin", AMPLE).partial()).isFalse();
        assertThat(admin.queues().findById("q", "twin", AMPLE).items()).hasSize(20);
        assertThat(admin.queues().findById("q", "twin", AMPLE).partial()).isFalse();

        redis.texts().zadd("retry", 20, "{\"jid\":\"twin\"}");
        redis.texts().lpush("queue:q", "{\"jid\":\"twin\"}");

        assertThat(admin.sets().findById(JobSet.RETRY, "twin", AMPLE).items()).hasSize(20);
        assertThat(admin.sets().findById(JobSet.RETRY, "twin", AMPLE).partial()).isTrue();
        assertThat(admin.queues().findById("q", "twin", AMPLE).partial()).isTrue();
    }

    @Test
    @Tag("sidekiq-20.1")
    void findsJobsByTheirScore() {
        seed("retry", 150, 1795238150.5755093, 0);
        redis.texts().zadd("retry", 1795238150.5755096, job(1_000));
        redis.texts().zadd("retry", Double.POSITIVE_INFINITY, job(1_001));
        redis.texts().zadd("retry", Double.NEGATIVE_INFINITY, job(1_002));

        assertThat(ofScore(1795238150.5755093)).hasSize(150);
        assertThat(jids(admin.sets()
                        .jobs(
                                JobSet.RETRY,
                                job -> job.score() == 1795238150.5755093 && "j149".equals(job.jid()),
                                0,
                                10,
                                AMPLE)
                        .items()))
                .containsExactly("j149");
        assertThat(jids(ofScore(Double.POSITIVE_INFINITY))).containsExactly("j1001");
        assertThat(jids(ofScore(Double.NEGATIVE_INFINITY))).containsExactly("j1002");
        assertThat(ofScore(3)).isEmpty();
    }

    private static List<ListedJob> ofScore(double score) {
        return admin.sets()
                .jobs(JobSet.RETRY, job -> job.score() == score, 0, 200, AMPLE)
                .items();
    }

    @Test
    void searchesAQueueNewestFirst() {
        for (int from = 0; from < MANY; from += 1_000) {
            redis.texts()
                    .lpush(
                            "queue:a b é",
                            IntStream.range(from, from + 1_000)
                                    .mapToObj(SearchesIT::job)
                                    .toArray(String[]::new));
        }

        Page<ListedJob> all = search("a b é", "n1999", 100, AMPLE);
        assertThat(jids(all.items()))
                .startsWith("j19999", "j19998")
                .endsWith("j1999")
                .hasSize(11);
        assertThat(all.partial()).isFalse();
        assertThat(all.items().get(0).job().queue()).isEqualTo("a b é");

        Page<ListedJob> standard = search("a b é", "\"n1n\"", 100, ScanBudget.standard());
        assertThat(standard.items()).isEmpty();
        assertThat(standard.partial()).isTrue();
        Page<ListedJob> noTime = search("a b é", "class", 200, new ScanBudget(10_000, Duration.ZERO));
        assertThat(noTime.items()).hasSize(1);
        assertThat(noTime.partial()).isTrue();
        Page<ListedJob> three = search("a b é", "class", 3, AMPLE);
        assertThat(jids(three.items())).containsExactly("j19999", "j19998", "j19997");
        assertThat(three.next()).isEqualTo(3);
        assertThat(admin.queues().count("a b é", job -> job.contains("n1999"), AMPLE))
                .isEqualTo(new JobCount(11, MANY, false));
    }

    @Test
    void findsRawBytesThatAreNoJob() {
        byte[] garbage = {(byte) 0xff, 'n', 'e', 'e', 'd', 'l', 'e', 0};
        redis.bytes().zadd("dead".getBytes(UTF_8), Double.POSITIVE_INFINITY, garbage);

        JobRecord found =
                search(JobSet.DEAD, "needle", 10, AMPLE).items().get(0).job();

        assertThat(found.bytes()).isEqualTo(garbage);
        assertThat(found.score()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(found.at()).isNull();
    }
}
