package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.client.ClientConfig;
import dev.jobs.recurring.ConfiguredSchedules.Entry;
import dev.jobs.recurring.ConfiguredSchedules.Policies;
import dev.jobs.recurring.DeclaredChanges.Change;
import dev.jobs.recurring.DeclaredChanges.Kind;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What starts of an application store, change and remove, and what they say of it. */
@Tag("sidekiq-29")
class DeclarationsIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    @RegisterExtension
    final LogLines lines = LogLines.of(RecurringDeclarations.class);

    private final RecurringJobStore store = new RecurringJobStore(bed.connection, bed.keys, "default");

    private String application = "shop";

    static class NoCron {

        @Job(value = "nightly", queue = "low")
        void nightly() {}

        @Job("region")
        void region(String name) {}
    }

    static class Annotated {

        @Job(value = "nightly", cron = "0 2 * * *", queue = "low")
        void nightly() {}

        @Job("region")
        void region(String name) {}
    }

    private static Entry entry(String name, String job, Recurrence recurrence, String... arguments) {
        return new Entry(
                "jobs.recurring.schedules[" + name + "]", name, job, List.of(arguments), recurrence, Policies.NONE);
    }

    private static Entry north(String cron, String argument) {
        return entry("north", "region", Recurrence.cron(cron), argument);
    }

    private static Entry nightly(String cron) {
        return entry("nightly", "nightly", Recurrence.cron(cron));
    }

    private static Entry nightly(Policies policies) {
        return new Entry(
                "jobs.recurring.schedules[nightly]",
                "nightly",
                "nightly",
                List.of(),
                Recurrence.every(Duration.ofSeconds(90)),
                policies);
    }

    /** A start of the application. */
    private void start(Object jobs, Entry... entries) {
        start(LocalQueues.ALL, jobs, entries);
    }

    private void start(LocalQueues queues, Object jobs, Entry... entries) {
        lines.clear();
        declarations(store, jobs, queues, entries).declare();
    }

    private RecurringDeclarations declarations(
            RecurringJobStore in, Object jobs, LocalQueues queues, Entry... entries) {
        JobRegistry registry = JobRegistry.of(jobs);
        RecurringConfig config = new RecurringConfig(true, "default", application, Duration.ofMinutes(1), queues)
                .with(ConfiguredSchedules.of(List.of(entries), registry, ClientConfig.defaults()));
        return new RecurringDeclarations(in, registry, config, new Random(42));
    }

    private List<String> said() {
        return lines.messages(Level.INFO).stream()
                .map(line -> line.replaceFirst(", next at [^;]*", ""))
                .toList();
    }

    private RecurringJob stored(String name) {
        return store.find(name).orElseThrow();
    }

    private List<String> names() {
        return store.snapshot().jobs().stream().map(RecurringJob::name).toList();
    }

    @Test
    void whatStartsChangedIsRemembered() {
        start(new Annotated(), north("0 5 * * *", "a"));
        start(new Annotated(), north("0 5 * * *", "a"));
        application = "";
        start(new NoCron(), entry("south", "region", Recurrence.cron("@daily"), "a"));
        application = "shop";
        start(new NoCron(), north("0 6 * * *", "a"));

        List<DeclaredChanges> changes = store.changes();

        assertThat(changes)
                .extracting(DeclaredChanges::application, DeclaredChanges::changes)
                .containsExactly(
                        tuple(
                                "shop",
                                List.of(
                                        new Change("north", Kind.CHANGED, "cron was '0 5 * * *'"),
                                        new Change("nightly", Kind.REMOVED, ""))),
                        tuple("", List.of(new Change("south", Kind.ADDED, ""))),
                        tuple(
                                "shop",
                                List.of(new Change("nightly", Kind.ADDED, ""), new Change("north", Kind.ADDED, ""))));
        assertThat(changes.get(0).at()).isBetween(Instant.now().minusSeconds(60), Instant.now());
        assertThat(bed.redis.texts().ttl("jobs:declarations:default")).isBetween(2_591_000L, 2_592_000L);
    }

    @Test
    void aLongTextIsCutWhereNoCharacterIsHalved() {
        String was = "x".repeat(499) + "\uD83D\uDE80";
        store.noteChanges(new DeclaredChanges("shop", Instant.EPOCH, List.of(new Change("north", Kind.CHANGED, was))));

        assertThat(store.changes().get(0).changes().get(0).was()).isEqualTo("x".repeat(499) + "\uFFFD");
    }

    /** What was stored before that is no change any more when the start goes on. */
    @Test
    void aStartThatFailsHalfWayNotesAllChanges() {
        AtomicInteger answers = new AtomicInteger();
        try (RedisProxy proxy = new RedisProxy(bed.redis.port());
                RedisConnection connection =
                        bed.redis.connections("", proxy.port()).open("jobs-test")) {
            RecurringDeclarations declarations = declarations(
                    new RecurringJobStore(connection, bed.keys, "default"),
                    new Annotated(),
                    LocalQueues.ALL,
                    north("0 5 * * *", "a"));
            proxy.beforeEachAnswer(() -> {
                if (bed.redis.texts().scard("cron_jobs:default") == 1 && answers.incrementAndGet() == 2) {
                    proxy.loseAnswers(1); // the one behind that of the first recurring job
                }
            });
            assertThatThrownBy(declarations::declare).isInstanceOf(JobStoreException.class);
            assertThat(names()).hasSize(1);
            declarations.declare();
        }

        assertThat(store.changes()).singleElement().satisfies(each -> assertThat(each.changes())
                .containsExactly(new Change("nightly", Kind.ADDED, ""), new Change("north", Kind.ADDED, "")));
    }

    @Test
    void aNoteThatIsMadeTwiceIsOne() {
        DeclaredChanges changes =
                new DeclaredChanges("shop", Instant.EPOCH, List.of(new Change("north", Kind.ADDED, "")));
        store.noteChanges(changes);
        store.noteChanges(changes);

        assertThat(store.changes()).containsExactly(changes);
    }

    @Test
    void theTenLastChangesAreRemembered() {
        for (int i = 0; i < 12; i++) {
            start(new NoCron(), north(i + " 5 * * *", "a"));
        }

        assertThat(store.changes()).hasSize(10);
        assertThat(store.changes().get(9).changes())
                .containsExactly(new Change("north", Kind.CHANGED, "cron was '1 5 * * *'"));
        bed.redis.texts().lpush("jobs:declarations:default", "[", "{\"changes\":[1,[\"a\",\"B\",\"\"]]}");
        assertThat(store.changes().subList(0, 2)).containsOnly(new DeclaredChanges("", null, List.of()));
        bed.redis.texts().del("jobs:declarations:default");
        bed.redis.texts().set("jobs:declarations:default", "x");
        start(new NoCron(), north("13 5 * * *", "a"));
        assertThat(stored("north").cron()).isEqualTo("13 5 * * *");
        assertThat(store.changes()).as("of a wrong type").isEmpty();
    }

    @Test
    void aDeploySaysWhatItAddsChangesAndRemoves() {
        start(new Annotated(), north("0 5 * * *", "a"));
        assertThat(said())
                .containsExactly(
                        "nightly (" + Annotated.class.getName() + ".nightly) recurs at 0 2 * * *; new",
                        "north (jobs.recurring.schedules[north]) recurs at 0 5 * * *; new");
        assertThat(stored("north").fields())
                .containsEntry("jobs_declared_by", "shop")
                .containsEntry("jobs_origin", "configuration")
                .containsEntry("args", "[\"a\"]")
                .containsEntry(
                        "message", "{\"retry\":true,\"queue\":\"default\",\"class\":\"region\",\"args\":[\"a\"]}");
        assertThat(stored("nightly").fields()).doesNotContainKey("jobs_origin");
        assertThat(stored("north").origin()).isEqualTo(Origin.CONFIGURATION);
        assertThat(stored("nightly").origin()).isEqualTo(Origin.ANNOTATION);

        start(new Annotated(), north("0 5 * * *", "a"));
        assertThat(said())
                .containsExactly(
                        "nightly (" + Annotated.class.getName() + ".nightly) recurs at 0 2 * * *",
                        "north (jobs.recurring.schedules[north]) recurs at 0 5 * * *");

        start(
                new Annotated(),
                entry(
                        "north",
                        "region",
                        Recurrence.cron("0 6 * * *").queue("low").description("Sales"),
                        "hush"));
        assertThat(said())
                .contains("north (jobs.recurring.schedules[north]) recurs at 0 6 * * *; changed: cron was '0 5 * * *', "
                        + "queue was 'default', other arguments, other description");

        start(new NoCron());
        assertThat(said())
                .containsExactlyInAnyOrder(
                        "RecurringJob[nightly, job=nightly, cron=0 2 * * *] is removed, because shop no longer declares it",
                        "RecurringJob[north, job=region, cron=0 6 * * *] is removed, because shop no longer declares it");
        assertThat(names()).isEmpty();
    }

    @Test
    void aConfigurationTakesThePlaceOfAnAnnotationUntilItIsGone() {
        start(new Annotated());
        store.enable("nightly", false, null);

        start(new Annotated(), nightly("0 5 * * *"));
        assertThat(said())
                .containsExactly("nightly (jobs.recurring.schedules[nightly], not its annotation) recurs at 0 5 * * *; "
                        + "changed: cron was '0 2 * * *', it was declared by an annotation");
        assertThat(stored("nightly").enabled()).as("a pause outlives it").isFalse();

        start(new Annotated());
        assertThat(said())
                .containsExactly("nightly (" + Annotated.class.getName() + ".nightly) recurs at 0 2 * * *; "
                        + "changed: cron was '0 5 * * *', it was declared in the configuration");
        assertThat(stored("nightly").origin()).isEqualTo(Origin.ANNOTATION);
    }

    @Test
    void otherPoliciesAreAChange() {
        start(new NoCron(), nightly("@every 90s"));
        assertThat(stored("nightly").fields()).doesNotContainKeys("jobs_missed", "jobs_overlap");

        start(new NoCron(), nightly(new Policies(Missed.ALL, 24, Overlap.QUEUE)));
        assertThat(said())
                .containsExactly("nightly (jobs.recurring.schedules[nightly]) recurs at @every 1m30s; "
                        + "changed: missed was 'WITHIN_GRACE', overlap was 'ALLOW'");
        assertThat(stored("nightly").fields())
                .containsEntry("jobs_missed", "all 24")
                .containsEntry("jobs_overlap", "queue");

        start(new NoCron(), nightly(new Policies(Missed.ALL, 25, Overlap.QUEUE)));
        assertThat(said()).singleElement().asString().endsWith("; changed: missed was 'ALL 24'");
        start(new NoCron(), nightly(new Policies(Missed.ALL, 25, Overlap.QUEUE)));
        assertThat(said()).singleElement().asString().endsWith("recurs at @every 1m30s");

        start(new NoCron(), nightly("@every 90s"));
        assertThat(said()).singleElement().asString().endsWith("; changed: missed was 'ALL 25', overlap was 'QUEUE'");
        assertThat(stored("nightly").fields()).doesNotContainKeys("jobs_missed", "jobs_overlap");
    }

    /** Ruby leaves the lock, which nobody sees. */
    @ParameterizedTest
    @CsvSource({"@delay 30s,", "@every 30s,SKIP", "@every 30s,QUEUE"})
    void aJobThatPerhapsOnlyRubyPerformsAndThatKeepsOthersAwayIsSaid(String cron, @Nullable Overlap overlap) {
        start(
                new NoCron(),
                new Entry(
                        "jobs.recurring.schedules[clean]",
                        "clean",
                        "CleanupWorker",
                        List.of(),
                        Recurrence.cron(cron),
                        new Policies(null, null, overlap)));

        assertThat(lines.messages(Level.WARN))
                .containsExactly(
                        "clean (jobs.recurring.schedules[clean]) enqueues its next job when the last one has ended, as"
                                + " only Java tells. Its job CleanupWorker is unknown here: if Ruby performs it, it is enqueued once"
                                + " a day at most. Then leave out the delay or overlap");
    }

    @Test
    void whatKeepsNoOthersAwayOrIsKnownIsNotSaid() {
        start(
                new NoCron(),
                entry("clean", "CleanupWorker", Recurrence.every(Duration.ofSeconds(30))),
                nightly(new Policies(null, null, Overlap.SKIP)));
        assertThat(lines.messages(Level.WARN)).isEmpty();

        try (RedisRecurringJobs api = new RedisRecurringJobs(
                bed.redis.connections(""),
                JobRegistry.of(new NoCron()),
                JobHooks.none(),
                ClientConfig.defaults(),
                new Random(42),
                "default")) {
            Recurrence skip = Recurrence.cron("@daily").overlap(Overlap.SKIP);
            api.save("a", skip.overlap(Overlap.CANCEL), JobCall.named("CleanupWorker"));
            api.save("b", skip, JobCall.named("nightly"));
            assertThat(lines.messages(Level.WARN)).isEmpty();
            api.save("c", skip, JobCall.named("CleanupWorker"));
        }
        assertThat(lines.messages(Level.WARN))
                .singleElement()
                .asString()
                .startsWith(
                        "RecurringJob[c, job=CleanupWorker, cron=@daily] enqueues its next job when the last one has");
    }

    @Test
    void aMinusRemovesWhatIsStoredEvenIfTheApplicationHasNoName() {
        application = "";
        start(new Annotated(), north("0 5 * * *", "a"));
        assertThat(names()).containsExactly("nightly", "north");

        start(new Annotated(), nightly("-"), north("-", "a"));
        assertThat(said())
                .containsExactly(
                        "nightly (jobs.recurring.schedules[nightly], not its annotation) no longer recurs: its schedule is '-'",
                        "north (jobs.recurring.schedules[north]) no longer recurs: its schedule is '-'");
        assertThat(names()).isEmpty();
    }

    @Test
    void whatOthersSavedIsTakenOverAndSaidButLeftAloneUnderOtherNames() {
        try (RedisRecurringJobs api = new RedisRecurringJobs(
                bed.redis.connections(""),
                JobRegistry.of(new NoCron()),
                JobHooks.none(),
                ClientConfig.defaults(),
                new Random(42),
                "default")) {
            api.save("north", Recurrence.cron("0 5 * * *"), JobCall.named("region", "a"));
            api.save("south", Recurrence.cron("0 5 * * *"), JobCall.named("region", "a"));
        }
        application = "billing";
        start(new Annotated());
        assertThat(stored("south").origin()).isEqualTo(Origin.API);

        application = "shop";
        start(new NoCron(), north("0 5 * * *", "a"), nightly("0 2 * * *"));

        assertThat(said())
                .containsExactly(
                        "north (jobs.recurring.schedules[north]) recurs at 0 5 * * *; changed: it was not declared",
                        "nightly (jobs.recurring.schedules[nightly]) recurs at 0 2 * * *; changed: it was declared by an annotation");
        assertThat(names()).containsExactly("nightly", "north", "south");
        application = "billing";
        start(new NoCron(), nightly("0 2 * * *"));
        assertThat(said())
                .containsExactly(
                        "nightly (jobs.recurring.schedules[nightly]) recurs at 0 2 * * *; changed: application was 'shop'");
    }

    @Test
    void otherOptionsOfTheJobAreAChange() {
        start(new NoCron(), nightly("0 2 * * *"));
        Payload message = Payload.parse(stored("nightly").text("message").getBytes(UTF_8));
        bed.redis
                .texts()
                .hset(
                        "cron_job:default:nightly",
                        Map.of("message", new String(message.with("retry", 3).bytes(), UTF_8)));

        start(new NoCron(), nightly("0 2 * * *"));

        assertThat(said()).singleElement().asString().endsWith("; changed: other options");
    }

    @Test
    void theEngineOfAShardDeclaresThoseOfItsQueues() {
        LocalQueues low = new LocalQueues() {
            @Override
            public boolean declares(String queue) {
                return queue.equals("low");
            }
        };

        start(low, new NoCron(), nightly("0 2 * * *"), north("0 5 * * *", "a"));
        assertThat(names()).containsExactly("nightly");

        start(
                low,
                new NoCron(),
                entry("nightly", "nightly", Recurrence.cron("0 2 * * *").queue("high")));
        assertThat(names()).as("it moved to another shard").isEmpty();
    }
}
