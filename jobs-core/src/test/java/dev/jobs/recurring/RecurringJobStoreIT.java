package dev.jobs.recurring;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.Payload;
import dev.jobs.codec.RubyTime;
import dev.jobs.recurring.RecurringJobStore.DeclarationMark;
import dev.jobs.recurring.RecurringJobStore.Fired;
import dev.jobs.recurring.RecurringJobStore.Push;
import dev.jobs.store.ScriptTestBed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-29")
class RecurringJobStoreIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final String JOB = "cron_job:default:nightly";
    private static final String SLOTS = JOB + ":enqueued";
    private static final String HISTORY = JOB + ":jid_history";
    private static final Recurrence DAILY = Recurrence.cron("30 2 * * *").zone("Europe/Berlin");
    private static final Instant SLOT = Instant.parse("2026-11-21T01:30:00Z");
    private static final Instant NOW = SLOT.plusMillis(1_500);
    private static final Push PUSH = new Push("low", bytes("{\"jid\":\"j1\"}"), "j1");

    private static final Map<String, String> DECLARED = Map.of(RecurringJob.DECLARED_BY, "shop");

    private final RecurringJobStore cron = new RecurringJobStore(bed.connection, bed.keys, "default");

    @AfterEach
    void roomAgain() {
        bed.drain();
    }

    private static Payload draft(String more) {
        return Payload.parse(bytes(
                "{\"retry\":true,\"queue\":\"low\",\"class\":\"Reports.nightly\",\"args\":[1],\"jid\":\"x\",\"created_at\":5"
                        + more + "}"));
    }

    private RecurringJob save() {
        cron.save("nightly", DAILY.description("Sales"), draft(""), DECLARED, NOW);
        return stored();
    }

    private RecurringJob stored() {
        return cron.find("nightly").orElseThrow();
    }

    private Map<String, String> hash() {
        return bed.redis.texts().hgetall(JOB);
    }

    private List<String> slots() {
        return bed.redis.texts().zrange(SLOTS, 0, -1);
    }

    // Saving

    @Test
    void storesWhatRubyReads() {
        assertThat(cron.save("nightly", DAILY.description("Sales"), draft(""), Map.of(), NOW))
                .isTrue();

        assertThat(bed.redis.texts().smembers("cron_jobs:default")).containsExactly(JOB);
        assertThat(hash())
                .containsOnly(
                        Map.entry("name", "nightly"),
                        Map.entry("namespace", "default"),
                        Map.entry("klass", "Reports.nightly"),
                        Map.entry("cron", "30 2 * * * Europe/Berlin"),
                        Map.entry("description", "Sales"),
                        Map.entry("source", "dynamic"),
                        Map.entry("args", "[1]"),
                        Map.entry("date_as_argument", "0"),
                        Map.entry(
                                "message",
                                "{\"retry\":true,\"queue\":\"low\",\"class\":\"Reports.nightly\",\"args\":[1]}"),
                        Map.entry("status", "enabled"),
                        Map.entry("active_job", "0"),
                        Map.entry("queue_name_prefix", ""),
                        Map.entry("queue_name_delimiter", ""),
                        Map.entry("retry", "true"),
                        Map.entry("last_enqueue_time", ""),
                        Map.entry("symbolize_args", "0"));
        assertThat(bed.redis.texts().zrangeWithScores(SLOTS, 0, -1))
                .as("the slot before counts as taken")
                .singleElement()
                .satisfies(slot -> {
                    assertThat(slot.getValue()).isEqualTo("2026-11-21T01:30:00Z");
                    assertThat(slot.getScore()).isBetween(bed.now() - 60, bed.now() + 1);
                });
        assertThat(bed.redis.texts().keys("*")).containsExactlyInAnyOrder("cron_jobs:default", JOB, SLOTS);
    }

    @Test
    void savingAgainKeepsWhatOthersStored() {
        save();
        bed.redis
                .texts()
                .hset(JOB, Map.of("status", "disabled", "last_enqueue_time", "2026-11-20 01:30:00 +0000", "mine", "ü"));
        bed.redis.texts().del(SLOTS);

        assertThat(cron.save("nightly", DAILY.description("New"), draft(",\"tags\":[]"), Map.of(), NOW))
                .isFalse();

        assertThat(hash())
                .containsEntry("status", "disabled")
                .containsEntry("last_enqueue_time", "2026-11-20 01:30:00 +0000")
                .containsEntry("mine", "ü")
                .containsEntry("description", "New")
                .containsEntry("jobs_declared_by", "shop");
        assertThat(slots()).as("no slot is lost because an application starts").isEmpty();
    }

    @Test
    void anotherCronTextCountsFromNow() {
        save();
        cron.save("nightly", Recurrence.cron("0 * * * *"), draft(""), DECLARED, NOW);

        assertThat(slots()).containsExactly("2026-11-21T01:30:00Z", "2026-11-21T01:00:00Z");
    }

    @Test
    void forgetsSlotsOfMoreThanADayAgo() {
        bed.redis.texts().zadd(SLOTS, bed.now() - 86_500, "old");
        bed.redis.texts().zadd(SLOTS, bed.now() - 86_300, "young");
        save();

        assertThat(slots()).contains("young").doesNotContain("old");
    }

    @ParameterizedTest
    @ValueSource(strings = {JOB, SLOTS, "cron_jobs:default", "jobs:recurring:default"})
    void nothingIsStoredWhereAKeyHoldsAnotherType(String key) {
        bed.redis.texts().set(key, "text");
        SortedMap<String, Object> before = bed.stored();

        assertThatThrownBy(this::save).isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                .isEqualTo(Kind.WRONG_TYPE));

        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void aFullRedisAllowsPauseAndResume() {
        save();
        bed.fill();

        assertThat(cron.enable("nightly", false, null)).isTrue();
        assertThat(stored().enabled()).isFalse();
        assertThat(cron.enable("nightly", true, SLOT)).isTrue();
        assertThat(stored().enabled()).isTrue();
    }

    @Test
    void slotsDuringAPauseAreNotMadeUpFor() {
        save();
        cron.enable("nightly", false, null);
        assertThat(slots()).hasSize(1);

        cron.enable("nightly", true, SLOT.plusSeconds(86_400));

        assertThat(slots()).contains("2026-11-22T01:30:00Z");
        cron.enable("nightly", true, SLOT.plusSeconds(2 * 86_400));
        assertThat(slots()).as("it ran, so that its slot is its own").doesNotContain("2026-11-23T01:30:00Z");
    }

    @Test
    void aMissingJobCannotBePaused() {
        assertThat(cron.enable("nightly", false, null)).isFalse();
        assertThat(bed.stored()).isEmpty();
    }

    // Reading

    @Test
    void readsWhatIsARecurringJobAndNothingElse() {
        save();
        bed.redis.texts().sadd("cron_jobs:default", "cron_job:default:gone", "cron_job:default:broken", "queue:low");
        bed.redis.texts().set("cron_job:default:broken", "text");
        bed.redis.texts().hset("queue:low", "name", "x");
        bed.redis.texts().hset("cron_job:other:x", "name", "x");
        bed.redis.texts().sadd("cron_jobs:other", "cron_job:other:x");

        RecurringJobStore.Snapshot look = cron.snapshot();

        assertThat(look.jobs()).singleElement().extracting(RecurringJob::name).isEqualTo("nightly");
        assertThat(look.serverTime().getEpochSecond()).isBetween((long) bed.now() - 60, (long) bed.now() + 1);
    }

    @Test
    void readsMoreThanFitIntoOneRoundTrip() {
        for (int i = 0; i < 250; i++) {
            cron.save("job " + i, DAILY, draft(""), Map.of(), NOW);
        }

        assertThat(cron.snapshot().jobs())
                .hasSize(250)
                .extracting(RecurringJob::name)
                .isSorted();
    }

    @Test
    void aSetOfAnotherTypeHasNoJobs() {
        bed.redis.texts().set("cron_jobs:default", "text");

        assertThat(cron.snapshot().jobs()).isEmpty();
    }

    // Firing

    @Test
    void takesTheSlotAndPushesTheJobInOneStep() {
        RecurringJob job = save();
        bed.redis.texts().del(SLOTS);

        assertThat(cron.fire(job, SLOT, NOW, PUSH)).isEqualTo(Fired.DONE);

        assertThat(bed.queue("low")).containsExactly("{\"jid\":\"j1\"}");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("low");
        assertThat(bed.redis.texts().hget(JOB, "last_enqueue_time")).isEqualTo("2026-11-21 01:30:01 +0000");
        assertThat(bed.redis.texts().lrange(HISTORY, 0, -1))
                .containsExactly("{\"jid\":\"j1\",\"enqueued\":\"2026-11-21 01:30:01 UTC\"}");
    }

    @Test
    void theScoreOfASlotIsItsTime() {
        RecurringJob job = save();
        Instant slot = Instant.ofEpochSecond((long) bed.now());

        assertThat(cron.fire(job, slot, slot, PUSH)).isEqualTo(Fired.DONE);

        assertThat(bed.redis.texts().zscore(SLOTS, slot.toString())).isEqualTo((double) slot.getEpochSecond());
    }

    @Test
    void eachSlotIsTakenOnce() {
        RecurringJob job = save();
        Instant slot = Instant.ofEpochSecond((long) bed.now());
        assertThat(cron.fire(job, slot, NOW, PUSH)).isEqualTo(Fired.DONE);
        SortedMap<String, Object> after = bed.stored();

        assertThat(cron.fire(job, slot, NOW.plusSeconds(5), PUSH)).isEqualTo(Fired.TAKEN);

        assertThat(bed.stored()).isEqualTo(after);
        Instant later = slot.plusSeconds(1);
        bed.redis.texts().zadd(SLOTS, later.getEpochSecond(), later.toString());
        assertThat(cron.fire(job, later, NOW, PUSH)).as("Ruby was first").isEqualTo(Fired.TAKEN);
        assertThat(bed.queue("low")).hasSize(1);
    }

    @Test
    void theSecondTimeThatClocksShowIsTakenWithTheFirst() {
        RecurringJob job = save();
        bed.redis.texts().del(SLOTS);
        Instant autumn = Instant.parse("2035-10-28T00:30:00Z");

        assertThat(cron.fire(job, autumn, NOW, PUSH)).isEqualTo(Fired.DONE);

        assertThat(slots()).containsExactly("2035-10-28T00:30:00Z", "2035-10-28T01:30:00Z");
    }

    @Test
    void nothingIsFiredThatWasChangedSinceItWasRead() {
        RecurringJob job = save();
        for (Runnable change : List.<Runnable>of(
                () -> bed.redis.texts().hset(JOB, "cron", "31 2 * * *"),
                () -> bed.redis.texts().hset(JOB, "message", "{}"),
                () -> bed.redis.texts().hset(JOB, "status", "disabled"),
                () -> bed.redis.texts().del(JOB),
                () -> bed.redis.texts().set(JOB, "text"))) {
            bed.clear();
            save();
            change.run();
            SortedMap<String, Object> before = bed.stored();

            assertThat(cron.fire(job, SLOT.plusSeconds(86_400), NOW, PUSH)).isEqualTo(Fired.CHANGED);

            assertThat(bed.stored()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {SLOTS, "queue:low"})
    void theSlotStaysFreeWhereAKeyHoldsAnotherType(String key) {
        RecurringJob job = save();
        bed.redis.texts().set(key, "text");
        SortedMap<String, Object> before = bed.stored();

        assertThat(cron.fire(job, SLOT.plusSeconds(86_400), NOW, PUSH)).isEqualTo(Fired.WRONG_TYPE);

        assertThat(bed.stored()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {HISTORY, "queues"})
    void dataForPeopleDoNotDelayIt(String key) {
        RecurringJob job = save();
        bed.redis.texts().set(key, "text");

        assertThat(cron.fire(job, SLOT.plusSeconds(86_400), NOW, PUSH)).isEqualTo(Fired.DONE);

        assertThat(bed.queue("low")).hasSize(1);
        assertThat(bed.redis.texts().get(key)).isEqualTo("text");
    }

    @Test
    void aFullRedisRefusesAndLeavesTheSlotFree() {
        RecurringJob job = save();
        SortedMap<String, Object> before = bed.stored();
        bed.fill();

        for (Instant slot : new Instant[] {SLOT.plusSeconds(86_400), null}) {
            assertThatThrownBy(() -> cron.fire(job, slot, NOW, PUSH))
                    .isInstanceOfSatisfying(
                            JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FULL));
        }

        assertThat(bed.stored()).isEqualTo(before);
        bed.drain();
        assertThat(cron.fire(job, SLOT.plusSeconds(86_400), NOW, PUSH)).isEqualTo(Fired.DONE);
    }

    @Test
    void aSlotMayPassWithoutAJob() {
        RecurringJob job = save();
        Instant slot = Instant.ofEpochSecond((long) bed.now());

        assertThat(cron.fire(job, slot, NOW, null)).isEqualTo(Fired.DONE);

        assertThat(slots()).contains(slot.toString());
        assertThat(bed.redis.texts().hget(JOB, "last_enqueue_time")).isEqualTo("2026-11-21 01:30:01 +0000");
        assertThat(bed.redis.texts().exists(HISTORY, "queues", "queue:low")).isZero();
    }

    @Test
    void withoutASlotItIsFiredThoughItIsPaused() {
        save();
        cron.enable("nightly", false, null);
        List<String> before = slots();

        assertThat(cron.fire(stored(), null, NOW, PUSH)).isEqualTo(Fired.DONE);
        assertThat(cron.fire(stored(), null, NOW, PUSH)).isEqualTo(Fired.DONE);

        assertThat(bed.queue("low")).hasSize(2);
        assertThat(slots()).isEqualTo(before);
    }

    @Test
    void keepsTenEntriesOfHistoryAndADayOfSlots() {
        RecurringJob job = save();
        bed.redis.texts().zadd(SLOTS, bed.now() - 86_500, "old");
        for (int i = 0; i < 12; i++) {
            Instant slot = Instant.ofEpochSecond((long) bed.now() + i);
            assertThat(cron.fire(job, slot, NOW, new Push("low", bytes("p" + i), "j\"" + i)))
                    .isEqualTo(Fired.DONE);
        }

        assertThat(slots()).hasSize(13).doesNotContain("old");
        assertThat(cron.history("nightly")).hasSize(10);
        assertThat(Payload.parse(cron.history("nightly").get(0)).jid()).isEqualTo("j\"11");
    }

    @Test
    void aHistoryOfAnotherTypeIsNone() {
        bed.redis.texts().set(HISTORY, "text");

        assertThat(cron.history("nightly")).isEmpty();
    }

    // What becomes of missed slots

    private RecurringJob saveMaking(Recurrence recurrence) {
        cron.save("nightly", recurrence, draft(""), DECLARED, NOW);
        return stored();
    }

    @Test
    void aJobThatMakesUpForMissedSlotsRemembersWhereItBegins() {
        RecurringJob job = saveMaking(DAILY.missed(Missed.ALL).mostMissed(7));

        assertThat(hash()).containsEntry("jobs_missed", "all 7").containsEntry("jobs_passed", SLOT.toString());
        assertThat(job.missed()).isEqualTo(Missed.ALL);
        assertThat(job.mostMissed()).isEqualTo(7);
        assertThat(job.passed()).isEqualTo(SLOT);
        assertThat(saveMaking(DAILY.missed(Missed.ONCE)).missed()).isEqualTo(Missed.ONCE);
        assertThat(saveMaking(DAILY.missed(Missed.SKIP)).missed()).isEqualTo(Missed.SKIP);
    }

    /** As when a new version of the application says so. */
    @Test
    void aJobMayBeginToRememberAndForgetAgain() {
        save();
        assertThat(hash()).doesNotContainKeys("jobs_missed", "jobs_passed");
        saveMaking(DAILY.missed(Missed.ONCE));
        assertThat(hash()).containsEntry("jobs_passed", SLOT.toString());

        saveMaking(DAILY);

        assertThat(hash()).doesNotContainKeys("jobs_missed", "jobs_passed");
    }

    /** A restart must not lose what was missed while no worker ran. */
    @Test
    void savingAgainKeepsWhereItIs() {
        saveMaking(DAILY.missed(Missed.ALL));
        cron.save("nightly", DAILY.missed(Missed.ALL), draft(""), DECLARED, NOW.plusSeconds(3 * 86_400));
        assertThat(stored().passed()).isEqualTo(SLOT);

        cron.save(
                "nightly",
                Recurrence.cron("0 * * * *").missed(Missed.ALL),
                draft(""),
                DECLARED,
                NOW.plusSeconds(3 * 86_400));

        assertThat(stored().passed()).as("another schedule begins anew").isEqualTo("2026-11-24T01:00:00Z");
    }

    @Test
    void slotsOfAPauseAreNotMissed() {
        saveMaking(DAILY.missed(Missed.ALL));
        cron.enable("nightly", false, null);
        assertThat(stored().passed()).isEqualTo(SLOT);

        cron.enable("nightly", true, SLOT.plusSeconds(86_400));

        assertThat(stored().passed()).isEqualTo(SLOT.plusSeconds(86_400));
    }

    @Test
    void slotsAreDecidedInOrderHoweverOldTheyAre() {
        RecurringJob job = saveMaking(DAILY.missed(Missed.ALL));
        Instant first = SLOT.plusSeconds(86_400);

        assertThat(cron.fire(job, first, first, PUSH)).isEqualTo(Fired.DONE);
        assertThat(stored().passed()).isEqualTo(first);
        assertThat(slots()).as("Redis forgets a slot of days ago").doesNotContain(first.toString());
        assertThat(cron.fire(job, first, first, PUSH)).isEqualTo(Fired.TAKEN);
        assertThat(cron.fire(job, SLOT, first, PUSH)).isEqualTo(Fired.TAKEN);
        assertThat(cron.fire(job, first.plusSeconds(86_400), first, PUSH)).isEqualTo(Fired.DONE);
        assertThat(bed.queue("low")).hasSize(2);
    }

    @Test
    void aSlotThatRubyTookIsDecided() {
        RecurringJob job = saveMaking(DAILY.missed(Missed.ALL));
        Instant slot = Instant.ofEpochSecond((long) bed.now());
        bed.redis.texts().zadd(SLOTS, slot.getEpochSecond(), slot.toString());

        assertThat(cron.fire(job, slot, slot, PUSH)).isEqualTo(Fired.TAKEN);

        assertThat(stored().passed()).isEqualTo(slot);
        assertThat(bed.queue("low")).isEmpty();
    }

    @Test
    void passingGoesOnlyOn() {
        saveMaking(DAILY.missed(Missed.ALL));
        bed.fill();
        cron.passTo("nightly", SLOT.plusSeconds(60));
        cron.passTo("nightly", SLOT);
        assertThat(stored().passed()).isEqualTo(SLOT.plusSeconds(60));
        bed.drain();
        saveMaking(DAILY);

        cron.passTo("nightly", SLOT.plusSeconds(90));
        cron.passTo("unknown", SLOT);

        assertThat(hash()).doesNotContainKey("jobs_passed");
        assertThat(bed.redis.texts().exists("cron_job:default:unknown")).isZero();
        bed.redis.texts().del(JOB);
        bed.redis.texts().set(JOB, "text");
        cron.passTo("nightly", SLOT);
        assertThat(bed.redis.texts().get(JOB)).isEqualTo("text");
    }

    // After the clock was ahead

    @Test
    void onlyWhatIsAheadIsSetBackAndTakenSlotsOfADayStay() {
        saveMaking(DAILY.missed(Missed.ALL));
        cron.passTo("nightly", SLOT.plusSeconds(3_600));
        bed.redis.texts().hset(JOB, "last_enqueue_time", RubyTime.withOffset(SLOT.plusSeconds(7_200)));
        bed.redis.texts().hset(JOB, "jobs_enqueued", RubyTime.withOffset(SLOT.plusSeconds(7_200)));
        bed.redis.texts().del(SLOTS);
        for (Duration ahead :
                List.of(Duration.ZERO, Duration.ofDays(1), Duration.ofDays(1).plusSeconds(1))) {
            cron.pass("nightly", SLOT.plus(ahead));
        }
        bed.fill();

        assertThat(cron.setBack(stored(), SLOT, SLOT.plusSeconds(7_199), SLOT)).isTrue();
        assertThat(stored().passed()).isEqualTo(SLOT.plusSeconds(3_600));
        assertThat(stored().lastEnqueued()).isEqualTo(SLOT);
        assertThat(stored().enqueuedByRuby()).isNull();
        assertThat(cron.setBack(stored(), SLOT, SLOT, SLOT)).isTrue();
        assertThat(stored().passed()).isEqualTo(SLOT);
        assertThat(bed.redis.texts().zrange(SLOTS, 0, -1))
                .containsExactly(SLOT.toString(), SLOT.plus(Duration.ofDays(1)).toString());
        bed.drain();
    }

    @Test
    void aJobThatWasFiredSinceItWasReadIsNotSetBack() {
        RecurringJob read = saveMaking(DAILY.missed(Missed.ALL));
        cron.passTo("nightly", SLOT.plusSeconds(3_600));

        assertThat(cron.setBack(read, SLOT, SLOT, SLOT)).isFalse();

        assertThat(stored().passed()).isEqualTo(SLOT.plusSeconds(3_600));
        bed.redis.texts().del(JOB);
        assertThat(cron.setBack(read, SLOT, SLOT, SLOT)).isFalse();
        assertThat(bed.redis.texts().exists(JOB)).isZero();
    }

    // Fixed rates

    @Test
    void rubyDoesNotSeeAFixedRate() {
        assertThat(saveMaking(Recurrence.every(Duration.ofSeconds(90))).schedule())
                .hasToString("@every 1m30s");

        assertThat(hash()).containsEntry("cron", "@every 1m30s").doesNotContainKey("jobs_passed");
        assertThat(bed.redis.texts().keys("cron_jobs:*")).isEmpty();
        assertThat(bed.redis.texts().smembers("jobs:recurring:default")).containsExactly(JOB);
        assertThat(cron.snapshot().jobs()).extracting(RecurringJob::name).containsExactly("nightly");
        assertThat(slots()).as("nothing is fired at once").hasSize(1);
        cron.enable("nightly", false, null);
        assertThat(bed.redis.texts().keys("cron_jobs:*"))
                .as("a pause changes nothing")
                .isEmpty();

        save();
        assertThat(bed.redis.texts().smembers("cron_jobs:default")).containsExactly(JOB);
        assertThat(bed.redis.texts().exists("jobs:recurring:default")).isZero();

        saveMaking(Recurrence.every(Duration.ofSeconds(90)));
        cron.delete("nightly");
        assertThat(bed.redis.texts().keys("*recurring*")).isEmpty();
    }

    // Deleting

    @Test
    void leavesNothingBehind() {
        RecurringJob job = save();
        cron.fire(job, null, NOW, PUSH);
        bed.fill();

        assertThat(cron.delete("nightly")).isTrue();
        assertThat(cron.delete("nightly")).isFalse();

        assertThat(bed.redis.texts().keys("cron*")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {JOB, SLOTS, HISTORY})
    void deletesWhateverAKeyHolds(String key) {
        save();
        bed.redis.texts().del(key);
        bed.redis.texts().set(key, "text");

        assertThat(cron.delete("nightly")).isTrue();

        assertThat(bed.redis.texts().keys("cron*")).isEmpty();
    }

    @Test
    void onlyWhatAnApplicationDeclaredIsItsOwnToDelete() {
        save();

        assertThat(cron.deleteDeclared("nightly", "billing")).isFalse();
        assertThat(cron.deleteDeclared("nightly", "shop")).isTrue();
        assertThat(cron.deleteDeclared("nightly", "shop")).isFalse();
    }

    // What is declared

    @Test
    void theMarkOfWhatIsDeclaredCountsWithinAnEpoch() {
        assertThat(cron.mark()).isEmpty();
        assertThat(cron.declared("e1", false)).isEqualTo(new DeclarationMark("e1", 1));
        assertThat(cron.declared("e2", false)).as("there is one").isEqualTo(new DeclarationMark("e1", 2));
        assertThat(cron.mark()).contains(new DeclarationMark("e1", 2));
        assertThat(cron.declared("e3", true)).isEqualTo(new DeclarationMark("e3", 1));
        assertThat(cron.mark()).contains(new DeclarationMark("e3", 1));
        assertThat(bed.redis.texts().keys("*")).containsExactly("jobs:declared:default");
    }

    @Test
    void theMarkReplacesWhatIsNone() {
        bed.redis.texts().set("jobs:declared:default", "text");

        assertThat(cron.mark()).isEmpty();
        assertThat(cron.declared("e1", false)).isEqualTo(new DeclarationMark("e1", 1));
    }

    @Test
    void aSlotThatPassesCountsAsTakenAndNothingElseChanges() {
        RecurringJob job = save();
        Map<String, String> before = hash();
        Instant next = SLOT.plusSeconds(86_400);

        cron.pass("nightly", next);
        cron.pass("nightly", next);

        assertThat(slots()).contains(next.toString()).hasSize(2);
        assertThat(cron.fire(job, next, NOW, PUSH)).isEqualTo(Fired.TAKEN);
        assertThat(hash()).isEqualTo(before);
        bed.redis.texts().del(SLOTS);
        bed.redis.texts().set(SLOTS, "text");
        cron.pass("nightly", next);
        assertThat(bed.redis.texts().get(SLOTS)).isEqualTo("text");
    }
}
