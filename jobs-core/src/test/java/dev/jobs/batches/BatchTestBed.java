package dev.jobs.batches;

import static dev.jobs.store.ScriptTestBed.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchEnds.Callback;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.BatchStore.NewJob;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Batches on a test bed, everything that moves their jobs, and a count of the states that uses no script. */
public final class BatchTestBed {

    public static final String QUEUE = "mail";

    /** The letters of the states of each class. */
    private static final Map<String, String> CLASSES = Map.of(
            "fresh", "qwQW", "again", "rvRV", "ok", "s", "failed", "f", "dead", "dx", "skipped", "k", "lost", "l");

    final ScriptTestBed bed;
    final BatchEffects effects;
    public final BatchStore store;
    final BatchCascade cascade;
    final BatchEnds ends;
    final KeyedBatches keyed;
    final BatchNotes notes;
    public final BatchReader reader;
    final BatchCheck check;
    final StagedJobs staged;
    final JobSets sets;
    final JobTrash trash;
    final ClearedQueues clearing;
    final ProcessLeases leases;

    public BatchTestBed(ScriptTestBed bed) {
        this.bed = bed;
        this.effects = new BatchEffects(bed.keys);
        this.store = new BatchStore(bed.connection, bed.keys);
        this.cascade = new BatchCascade(bed.connection, bed.keys);
        this.ends = new BatchEnds(bed.connection, bed.keys, BatchRetention.defaults());
        this.keyed = new KeyedBatches(bed.connection, bed.keys);
        this.notes = new BatchNotes(bed.connection, bed.keys);
        this.reader = new BatchReader(bed.connection, bed.keys);
        this.check = new BatchCheck(bed.connection, bed.keys);
        this.staged = new StagedJobs(bed.connection, bed.keys);
        this.sets = bed.sets(effects);
        this.trash = new JobTrash(
                bed.connection, bed.keys, new JobTrash.Bounds(1_000, 1_000_000, Duration.ofDays(1)), effects);
        this.clearing = new ClearedQueues(bed.connection, bed.keys, sets, new Random(1));
        this.leases = new ProcessLeases(
                bed.connection,
                bed.keys,
                ScriptTestBed.TIMING,
                ScriptTestBed.LIMITS,
                ScriptTestBed.MAX_RECOVERIES,
                effects);
    }

    /** A definition under construction. */
    public static final class Plan {

        private String parent = "";
        private String previous = "";
        private String next = "";
        private boolean failures;
        private boolean skipped;
        private final Map<BatchEvent, byte[]> callbacks = new EnumMap<>(BatchEvent.class);

        Plan parent(String id) {
            parent = id;
            return this;
        }

        Plan previous(String id) {
            previous = id;
            return this;
        }

        Plan next(String id) {
            next = id;
            return this;
        }

        Plan toleratesFailures() {
            failures = true;
            return this;
        }

        Plan toleratesSkipped() {
            skipped = true;
            return this;
        }

        /** With a callback for each of these events, in the queue of all jobs. */
        public Plan callsBack(String id, BatchEvent... events) {
            for (BatchEvent event : events) {
                callbacks.put(event, bytes(callback(id, event)));
            }
            return this;
        }

        public BatchDefinition definition() {
            return new BatchDefinition(
                    "name", "", List.of(), "", parent, previous, next, failures, skipped, false, 0, false, callbacks,
                    List.of());
        }
    }

    public static Plan plan() {
        return new Plan();
    }

    /** The id of a batch by its number. */
    public static String id(int number) {
        return String.format("%016x", 0xbabe0000L + number);
    }

    public static BatchJobId job(String batch, long index) {
        return new BatchJobId(batch, index);
    }

    /** A job as it is first stored. */
    public static String payload(String batch, long index, String... members) {
        List<String> all = new ArrayList<>(List.of(
                "\"class\":\"A\"",
                "\"args\":[]",
                "\"queue\":\"" + QUEUE + "\"",
                "\"jid\":\"" + job(batch, index).jid() + "\"",
                "\"jb\":1"));
        all.addAll(Arrays.asList(members));
        return "{" + String.join(",", all) + "}";
    }

    public static String callback(String batch, BatchEvent event) {
        return payload(batch, BatchJobId.FIRST_CALLBACK + 1 + event.ordinal());
    }

    /** The same job after a failure. */
    static String failed(String payload) {
        return payload.contains("retry_count") ? payload : payload.replaceFirst("}$", ",\"retry_count\":0}");
    }

    /** Which job of which batch it is, by its bytes. */
    static BatchJobId batchJob(String payload) {
        return BatchJobId.parse(payload.replaceFirst(".*\"jid\":\"(\\w+)\".*", "$1"));
    }

    /** Creates a batch that is filled while its jobs run. */
    String create(String id, Plan plan) {
        assertThat(store.create(Lead.none(id), plan.definition(), false)).isEqualTo(BatchStore.Created.NEW);
        return id;
    }

    /** Creates a batch whose jobs are kept until it is committed, unless it exists. */
    public void stage(String id, Plan plan) {
        store.create(Lead.none(id), plan.definition(), true);
    }

    /** Lets some of the jobs go that a committed batch had kept. */
    public void release(String id) {
        staged.release(id, List.of(QUEUE));
    }

    public static NewJob waiting(String id, long index, String... members) {
        return new NewJob(index, QUEUE, null, bytes(payload(id, index, members)), false);
    }

    static NewJob scheduled(String id, long index, long at) {
        return new NewJob(index, QUEUE, Long.toString(at), bytes(payload(id, index)), false);
    }

    static NewJob refused(long index) {
        return new NewJob(index, "", null, bytes("\"A middleware refused the job\""), true);
    }

    /** Adds jobs that go to the queue at once. Returns how many were added. */
    int fill(String id, long from, int count) {
        List<NewJob> jobs = LongStream.range(from, from + count)
                .mapToObj(index -> waiting(id, index))
                .toList();
        return store.fill(id, jobs, false, false);
    }

    void commit(String id, Plan plan) {
        store.commit(List.of(new Complete(id, plan.definition(), false, List.of())));
    }

    /** A committed batch with some jobs in the queue. */
    public String batch(int number, int jobs, Plan plan) {
        String id = create(id(number), plan);
        if (jobs > 0) {
            assertThat(fill(id, 0, jobs)).isEqualTo(jobs);
        }
        commit(id, plan);
        return id;
    }

    /** What the leader does with a batch that wants a look. Returns the events that it noted; null if it is unknown. */
    @Nullable Set<BatchEvent> look(String id) {
        BatchReader.Found found = reader.find(id).orElse(null);
        List<Callback> callbacks = new ArrayList<>();
        if (found != null) {
            found.definition().callbacks().forEach((event, payload) -> {
                if (!found.status().events().containsKey(event)) {
                    callbacks.add(new Callback(event, QUEUE, payload));
                }
            });
        }
        return ends.look(id, found == null ? BatchReader.NO_DEFINITION : found.definition(), callbacks, true);
    }

    /** Looks at all batches that want it, until none does. */
    public void lookAtAll() {
        for (List<String> resting = rest(); !resting.isEmpty(); resting = rest()) {
            resting.forEach(this::look);
        }
    }

    /** The batches that want a look. */
    public List<String> rest() {
        return bed.members("jobs:batches:rest");
    }

    /** A settlement as an engine makes it. */
    public Settlement told(Settlement settlement, String payload) {
        return told(settlement, batchJob(payload), Report.NOTHING);
    }

    public Settlement told(Settlement settlement, BatchJobId job, Report report) {
        return settlement.with(List.of(effects.of(job, report)));
    }

    /** The state of each job, with a dot where there is none. */
    public String states(String id) {
        return states(id, ":s");
    }

    /** The same for the jobs that its own jobs added. */
    String grown(String id) {
        return states(id, ":g");
    }

    private String states(String id, String suffix) {
        byte[] states = bed.redis.bytes().get(bytes(bed.key("jobs:batch:" + id + suffix)));
        return states == null ? "" : new String(states, ISO_8859_1).replace('\0', '.');
    }

    public Map<String, String> counters(String id) {
        return bed.redis.texts().hgetall(bed.key("jobs:batch:" + id));
    }

    public long counter(String id, String name) {
        return Long.parseLong(counters(id).getOrDefault(name, "0"));
    }

    /** Fails unless the counters agree with the states. */
    public void assertExact(String id) {
        String all = states(id) + grown(id);
        Map<String, String> counters = counters(id);
        long sum = 0;
        for (Map.Entry<String, String> each : CLASSES.entrySet()) {
            long states = all.chars()
                    .filter(state -> each.getValue().indexOf(state) >= 0)
                    .count();
            assertThat(counters).as("of batch %s with states %s", id, all).containsEntry(each.getKey(), "" + states);
            sum += states;
        }
        assertThat(counters.get("total")).isEqualTo("" + sum);
        assertThat(all.chars().filter(state -> state != '.').count()).isEqualTo(sum);
        assertThat(check.error(id)).isZero();
    }
}
