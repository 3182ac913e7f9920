package dev.jobs.store;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.testing.Modules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every call has a bound: each script is in the table of docs/threads-and-calls.md, and either measured by a test of call
 * sizes or of one size for whatever there is; of each command whose answer may be long it is said here what bounds it.
 */
class CallSizesTests {

    private static final Path TABLE = Path.of("../docs/threads-and-calls.md");

    private static final Pattern MEASURED = Pattern.compile("assertSmall\\(([^;]*)\\);");
    private static final Pattern NAME = Pattern.compile("\"([a-z_]+)\"");
    private static final Pattern COMMAND = Pattern.compile("commands\\s*\\.\\s*(\\w+)\\(");
    private static final Pattern PIPELINE = Pattern.compile("(?<!CompletableFuture)\\bReplies\\s*\\.all\\(");
    private static final Pattern WALKS_THROUGH_ALL =
            Pattern.compile("#ARGV|#KEYS|ipairs\\((ARGV|KEYS)|unpack\\((ARGV|KEYS)|(ARGV|KEYS)\\[[a-z]");

    /** Scripts for one thing each: their keys and arguments don't grow with anything. */
    private static final SortedSet<String> OF_ONE_SIZE = new TreeSet<>(Set.of(
            "batch_archived",
            "batch_check",
            "batch_reserve",
            "begin",
            "cancel",
            "condemn",
            "deploy_mark",
            "flush",
            "limiter",
            "limiter_free",
            "limiter_size",
            "limiter_used",
            "limits_set",
            "on_call",
            "recurring_back",
            "recurring_declared",
            "recurring_delete",
            "recurring_due",
            "recurring_fire",
            "recurring_noted",
            "recurring_pass",
            "signal",
            "time",
            "transfer_close",
            "transfer_note",
            "transfer_start",
            "unlock"));

    /** What bounds the others that no test of call sizes measures. */
    private static final Map<String, String> BOUNDED_OTHERWISE = Map.ofEntries(
            entry("batch_discard", "the queues of one batch"),
            entry("leave", "the roles for which a process stands: one, for recurring jobs"),
            entry("ledger", "live processes: a key and a name of each; ManyProcessesCostIT"),
            entry("limits_declare", "the limits that an application declares"),
            entry("metrics", "100 jobs, 100 times of jobs and queues; JobMetricsIT"),
            entry("recurring_save", "the fields of one recurring job"),
            entry("transfer_return", "one slice, as transfer_take made it; TransferCrashesIT"));

    /** Commands whose answers may have many parts, or one of any size: what bounds them. */
    private static final Map<String, String> ANSWERS = Map.ofEntries(
            entry("BatchAuditor.hget", "a number"),
            entry("BatchAuditor.zrange", "live processes"),
            entry("BatchCancellations.zmscore", "1,000 numbers"),
            entry("BatchCancellations.zrevrangeWithScores", "one id"),
            entry("BatchCancellations.zscan", "about 1,000 ids"),
            entry("BatchCascade.sscan", "about 1,000 ids"),
            entry("KeyedBatches.hget", "an id"),
            entry("BatchReader.getrange", "65,536 states, or one each of 100 jobs"),
            entry("BatchReader.zrange", "ids, as many as asked for: 100"),
            entry("BatchReader.zrevrange", "ids, as many as asked for: 100"),
            entry("BatchSearch.zrange", "live processes"),
            entry("Cancellations.zrangebyscoreWithScores", "1,000 jids"),
            entry("DeployMarks.hgetall", "the marked minutes of 30 days"),
            entry("InFlightJobs.hkeys", "tokens of one process: as many jobs as it holds"),
            entry("InFlightJobs.hmget", "jobs, cut by their sizes"),
            entry("InFlightJobs.zrange", "live processes"),
            entry("IterationStore.hmget", "the cursor of one job"),
            entry("JobCounters.mget", "numbers, as many as asked for"),
            entry("JobLocks.get", "jids, as many as a SCAN of 1,000 names finds, or of 100 recurring jobs"),
            entry("JobLocks.hget", "one job"),
            entry("JobMetrics.get", "120 histograms of 212 bytes"),
            entry("JobMetrics.hgetall", "30 hashes: three numbers for each name of a job"),
            entry("JobMetrics.hmget", "120 times three numbers"),
            entry("JobRecoveries.hget", "a number"),
            entry("JobRecoveries.hmget", "300 characters for each job that one call hands on"),
            entry("JobReports.get", "a progress"),
            entry("JobReports.lrange", "200 lines of 1,000 bytes"),
            entry("JobResults.blpop", "one jid"),
            entry("JobResults.get", "one result of 64 KiB"),
            entry("JobResults.lpop", "999 jids"),
            entry("JobTimings.hget", "120 values of 600 bytes"),
            entry("JobTimings.hgetall", "30 hashes: 100 bytes for each name of a job and queue"),
            entry("KeyScan.scan", "as many names as asked for, or a few more"),
            entry("Ledger.zrange", "live processes"),
            entry("LimitStates.hget", "100 jobs, cut by their sizes; names of queues"),
            entry("LimitStates.zrangebylex", "100 permits"),
            entry("LostEffects.lindex", "one effect"),
            entry("LostPermits.zrangebylex", "100 permits"),
            entry("OrderedQueuesAdmin.zrangeWithScores", "one job"),
            entry("OrderedQueuesAdmin.zrevrangebyscoreWithScores", "20 keys"),
            entry("ParkedJobs.hkeys", "names of the limits that applications declare"),
            entry("Permits.hmget", "permits of 100 jobs"),
            entry("ProcessLeases.zrangeWithScores", "live processes"),
            entry("ProcessRegistry.get", "one identity"),
            entry("ProcessRegistry.hget", "100 processes: what they publish"),
            entry("ProcessRegistry.hmget", "100 processes: what they publish, about 5 KB each"),
            entry("RecurringJobStore.get", "one recurring job"),
            entry("RecurringJobStore.hgetall", "100 recurring jobs, cut by their sizes"),
            entry("RecurringJobStore.hmget", "two values"),
            entry("RecurringJobStore.lrange", "ten entries of a history"),
            entry("RecurringJobStore.zrevrange", "one slot"),
            entry("RecurringJobStore.zrevrangebyscore", "one slot"),
            entry("RedisConnection.info", "what the server says of itself"),
            entry("Replies.sscan", "about 1,000 names"),
            entry("StrayPermits.zrangebylex", "100 permits"),
            entry("TransferSource.hget", "what one pass has counted"),
            entry("TransferSource.hgetall", "one transfer"),
            entry("TransferSource.hkeys", "tokens of one process: as many jobs as it holds"),
            entry("TransferSource.zrange", "live processes"),
            entry("TransferTarget.hget", "a number"),
            entry("WorkerState.lrange", "the log lines of one job, in a test"),
            entry("WorkerState.zrangebyscoreWithScores", "two jobs, in a test"));

    /** Classes that send commands one behind the other: how many, or of what. */
    private static final Map<String, String> PIPELINES = Map.ofEntries(
            entry("BatchEnds", "the keys of one batch"),
            entry("BatchReader", "states of 100 jobs"),
            entry("BatchStore", "the keys of one batch"),
            entry("DeployMarks", "30"),
            entry("EntryReader", "50 scans, which share the bytes of one call"),
            entry("InFlightJobs", "sizes of 100 jobs"),
            entry("JobLocks", "the locks that one SCAN finds, or of 100 recurring jobs"),
            entry("JobMetrics", "30 hashes, or 120 values"),
            entry("JobQueues", "ten calls, which share the bytes of one"),
            entry("JobSets", "sizes of three sets"),
            entry("JobTimings", "30 hashes, or 120 values"),
            entry("LimitStates", "the limits that applications declare; 100 jobs, cut by their sizes"),
            entry("LostPermits", "100"),
            entry("ParkedJobs", "the limits that applications declare"),
            entry("ProcessRegistry", "100 processes"),
            entry("RecurringJobStore", "100 recurring jobs, cut by their sizes"));

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> groups(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1));
    }

    /** Of the scripts of all modules, which no part of another script is. */
    private static SortedSet<String> names() {
        return Modules.files("src/main/resources", ".lua")
                .map(file -> file.getFileName().toString().replace(".lua", ""))
                .filter(name -> !name.matches("(shared|effect|check|gate|prelude)_\\w+"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static SortedSet<String> measured() {
        return Modules.files("src/test/java", "CallSizesIT.java")
                .flatMap(file -> groups(MEASURED, read(file)))
                .flatMap(names -> groups(NAME, names))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyScriptIsMeasuredOrOfOneSize() {
        SortedSet<String> unmeasured = names();
        unmeasured.removeAll(measured());

        SortedSet<String> known = new TreeSet<>(OF_ONE_SIZE);
        known.addAll(BOUNDED_OTHERWISE.keySet());
        assertThat(unmeasured)
                .as("scripts that no CallSizesIT measures: name them in its assertSmall, or say here what bounds them")
                .isEqualTo(known);
    }

    @Test
    void scriptsOfOneSizeWalkThroughNoArguments() {
        for (String name : OF_ONE_SIZE) {
            Path script = Modules.files("src/main/resources", "/" + name + ".lua")
                    .findFirst()
                    .orElseThrow();
            assertThat(WALKS_THROUGH_ALL.matcher(read(script)).find()).as(name).isFalse();
        }
    }

    @Test
    void everyScriptIsInTheTable() {
        String doc = read(TABLE);
        String table = doc.substring(doc.indexOf("## How large a call is"), doc.indexOf("## Who owns what"));
        SortedSet<String> missing = names().stream()
                .filter(name -> !table.contains('`' + name + '`'))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(missing)
                .as("scripts without a row in docs/threads-and-calls.md")
                .isEmpty();
    }

    @Test
    void everyAnswerOfManyPartsHasABound() {
        SortedMap<String, String> found = new TreeMap<>();
        Modules.files("src/main/java", ".java").forEach(file -> {
            Matcher commands = COMMAND.matcher(read(file));
            commands.results().map(MatchResult::group).forEach(call -> {
                String command = call.replaceAll("commands\\s*\\.\\s*|\\(", "");
                if (command.matches("h(getall|keys|vals|mget|get|scan)|s(members|scan)|z(rev)?(range|scan)\\w*|mget|get"
                        + "|getrange|lrange|lindex|scan|keys|info|b?[lr]pop|zmscore|zpop\\w*|[hsz]randmember")) {
                    found.put(file.getFileName().toString().replace(".java", "." + command), "");
                }
            });
        });

        assertThat(found.keySet()).as("say here what bounds the answer").isEqualTo(new TreeSet<>(ANSWERS.keySet()));
    }

    @Test
    void everyPipelineHasABound() {
        SortedSet<String> found = Modules.files("src/main/java", ".java")
                .filter(file -> PIPELINE.matcher(read(file)).find())
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(found).as("say here how many commands").isEqualTo(new TreeSet<>(PIPELINES.keySet()));
    }
}
