package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RubyTime;
import dev.jobs.ends.Cancellations;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.StoreScripts;
import dev.jobs.unique.JobLocks;
import dev.jobs.unique.UniqueRule;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recurring jobs of one namespace, as sidekiq-cron stores them. Thread-safe. */
@Internal
public final class RecurringJobStore {

    private static final Logger log = LoggerFactory.getLogger(RecurringJobStore.class);

    private static final LuaScript RECURRING_BACK = LuaScript.of(RecurringJobStore.class, "recurring_back");
    private static final LuaScript RECURRING_DECLARED = LuaScript.of(RecurringJobStore.class, "recurring_declared");
    private static final LuaScript RECURRING_DELETE = LuaScript.of(RecurringJobStore.class, "recurring_delete");
    private static final LuaScript RECURRING_DUE = LuaScript.of(RecurringJobStore.class, "recurring_due");
    private static final LuaScript RECURRING_FIRE =
            LuaScript.of(RecurringJobStore.class, "recurring_fire", StoreScripts.PLACES, Cancellations.CANCELLING);
    private static final LuaScript RECURRING_NOTED = LuaScript.of(RecurringJobStore.class, "recurring_noted");
    private static final LuaScript RECURRING_PASS = LuaScript.of(RecurringJobStore.class, "recurring_pass");
    private static final LuaScript RECURRING_SAVE = LuaScript.of(RecurringJobStore.class, "recurring_save");
    private static final LuaScript TIME = LuaScript.of(RecurringJobStore.class, "time");

    /** So many are read at most. */
    public static final int MOST = Replies.MOST_NAMES;

    /** How long a job that must not overlap keeps others away at most. */
    private static final Duration LOCKED = Duration.ofDays(1);

    /** How long a taken slot is surely remembered, by any clock: it is for a day. */
    private static final Duration SURELY_REMEMBERED = Duration.ofHours(23);

    private static final int TOGETHER = 100;
    private static final int REMEMBERED = 10;
    private static final long COPY_SECONDS = 86_400;
    private static final long CHANGES_SECONDS = 30 * 86_400;

    /** What a new one has besides. */
    private static final Map<String, String> NEW = Map.of("status", "enabled", "last_enqueue_time", "");

    /** What follows the life of a recurring job. */
    private static final Set<String> OF_ITS_LIFE = Set.of("status", "last_enqueue_time", RecurringJob.ENQUEUED);

    /** What its schedule has come to. */
    private static final Set<String> OF_ITS_SLOTS = Set.of(RecurringJob.PASSED, RecurringJob.DUE);

    /** All recurring jobs, and the server's time after they were read. */
    public record Snapshot(Instant serverTime, List<Stored> stored) {

        /** The recurring jobs alone. */
        public List<RecurringJob> jobs() {
            return stored.stream().map(Stored::job).toList();
        }
    }

    /**
     * A recurring job as it is stored.
     *
     * @param lastSlot the slot taken last; null if there is none or it is not a valid time
     */
    public record Stored(RecurringJob job, @Nullable Instant lastSlot) {}

    /** The result of firing a recurring job. */
    public enum Fired {
        /** The slot was taken, and the job pushed if there was one; with {@link Overlap#CANCEL} the other is cancelled. */
        DONE,
        /** The slot had been taken. */
        TAKEN,
        /**
         * Nothing was done: the recurring job was changed, paused or deleted since it was read, or with {@link
         * Overlap#CANCEL} another job has just been enqueued.
         */
        CHANGED,
        /** Nothing was done: the job of an earlier slot has not ended. */
        OVERLAPS,
        /** Nothing was done: the key of its slots or of the job's queue has the wrong type. */
        WRONG_TYPE
    }

    /**
     * A job that is pushed.
     *
     * @param jid for the history; null if the job has none
     */
    public record Push(
            String queue, byte[] payload, @Nullable String jid) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final RecurringKeys own;
    private final String namespace;
    private final JobLocks locks;
    private final Cancellations cancellations;

    public RecurringJobStore(RedisConnection connection, RedisKeys keys, String namespace) {
        this.connection = connection;
        this.keys = keys;
        this.own = new RecurringKeys(keys, namespace);
        this.namespace = namespace;
        this.locks = new JobLocks(connection, keys);
        this.cancellations = new Cancellations(connection, keys);
    }

    /** The server's clock, as scripts see it. */
    public Instant time() {
        List<Object> answer = connection.call(TIME, new byte[0][], new byte[0][]);
        return Instant.ofEpochSecond(Bytes.number(answer.get(0)), Bytes.number(answer.get(1)) * 1_000);
    }

    /**
     * All recurring jobs by name, at most {@value #MOST}. Invalid entries are left out. The time is read after the
     * jobs.
     */
    public Snapshot snapshot() {
        String prefix = Bytes.text(own.job(""));
        TreeSet<String> names = new TreeSet<>();
        for (byte[] all : List.of(own.jobs(), own.own())) {
            for (String key : Replies.members(connection, all)) {
                if (key.startsWith(prefix) && names.size() < MOST) {
                    names.add(key.substring(prefix.length()));
                }
            }
        }
        List<Stored> found = new ArrayList<>();
        for (List<String> some : CallBounds.slices(List.copyOf(names), TOGETHER)) {
            Map<String, Long> sizes = sizes(some);
            for (List<String> together : connection.bounds().cut(some, name -> sizes.getOrDefault(name, 0L))) {
                found.addAll(read(together));
            }
        }
        return new Snapshot(time(), found);
    }

    /** The approximate size of each in bytes: its arguments are stored twice, separately and in the message. */
    private Map<String, Long> sizes(List<String> names) {
        List<Long> messages = connection.run(commands -> Replies.all(names.stream()
                .map(name -> Replies.unlessWrongType(commands.hstrlen(own.job(name), Bytes.of("message")), 0L))
                .toList()));
        Map<String, Long> sizes = new HashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            sizes.put(names.get(i), 2 * messages.get(i));
        }
        return sizes;
    }

    private List<Stored> read(List<String> names) {
        List<Object> answers = connection.run(commands -> {
            List<CompletionStage<Object>> asked = new ArrayList<>();
            for (String name : names) {
                asked.add(Replies.<Object>unlessWrongType(commands.hgetall(own.job(name)), Map.of()));
                asked.add(Replies.<Object>unlessWrongType(commands.zrevrange(own.slots(name), 0, 0), List.of()));
            }
            return Replies.all(asked);
        });
        List<Stored> found = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Map<?, ?> stored = (Map<?, ?>) answers.get(2 * i);
            if (!stored.isEmpty()) {
                Map<String, String> fields = new LinkedHashMap<>();
                stored.forEach((field, value) -> fields.put(Bytes.text(field), Bytes.text(value)));
                List<?> taken = (List<?>) answers.get(2 * i + 1);
                found.add(new Stored(
                        new RecurringJob(names.get(i), fields),
                        taken.isEmpty() ? null : RubyTime.parse(Bytes.text(taken.get(0)))));
            }
        }
        return found;
    }

    /**
     * The same with the last slots that have come. Later ones were taken while the clock was ahead, or are shown a second
     * time by clocks that are put back.
     */
    Snapshot withoutLaterSlots(Snapshot read) {
        Instant now = read.serverTime();
        Set<String> later = read.stored().stream()
                .filter(each -> each.lastSlot() != null && each.lastSlot().isAfter(now))
                .map(each -> each.job().name())
                .collect(Collectors.toSet());
        Map<String, Instant> last = new HashMap<>();
        Range<Double> come = Range.create(0.0, (double) now.getEpochSecond());
        for (List<String> some : CallBounds.slices(List.copyOf(later), TOGETHER)) {
            List<List<byte[]>> taken = connection.run(commands -> Replies.all(some.stream()
                    .map(name -> Replies.unlessWrongType(
                            commands.zrevrangebyscore(own.slots(name), come, Limit.from(1)), List.<byte[]>of()))
                    .toList()));
            for (int i = 0; i < some.size(); i++) {
                Instant slot = taken.get(i).isEmpty()
                        ? null
                        : RubyTime.parse(Bytes.text(taken.get(i).get(0)));
                if (slot != null) {
                    last.put(some.get(i), slot);
                }
            }
        }
        return new Snapshot(
                now,
                read.stored().stream()
                        .map(each -> later.contains(each.job().name())
                                ? new Stored(each.job(), last.get(each.job().name()))
                                : each)
                        .toList());
    }

    /**
     * Sets back what a recurring job remembers of a time that has not come.
     *
     * @param slot what it remembers instead
     * @param latest the latest time that counts as come
     * @param now the server's time
     * @return whether it was set back; not if it was changed since it was read
     */
    public boolean setBack(RecurringJob job, Instant slot, Instant latest, Instant now) {
        Instant enqueued = job.lastEnqueued();
        Instant passed = job.passed();
        return connection.<Long>callForOne(
                        RECURRING_BACK,
                        ScriptOutputType.INTEGER,
                        new byte[][] {own.job(job.name()), own.slots(job.name())},
                        new byte[][] {
                            Bytes.of(job.text("last_enqueue_time")),
                            Bytes.of(job.text(RecurringJob.PASSED)),
                            Bytes.of(enqueued != null && enqueued.isAfter(latest) ? RubyTime.withOffset(slot) : ""),
                            Bytes.of(passed != null && passed.isAfter(latest) ? slot.toString() : ""),
                            Bytes.of(now.getEpochSecond())
                        })
                == 1;
    }

    /** The recurring job of that name, if there is a valid one. */
    public Optional<RecurringJob> find(String name) {
        return read(List.of(name)).stream().map(Stored::job).findFirst();
    }

    /**
     * Stores a recurring job, or changes the one of that name.
     *
     * @param draft the payload to push each time, without the members that differ for each job; its queue counts, not that of the
     *     recurrence
     * @param marks fields that say who declares it; empty if nobody does, which leaves an earlier declaration as it is
     * @param now the server's time: the slot before it counts as taken if the recurring job is new or gets a new cron
     *     text
     * @return whether it is new
     */
    public boolean save(String name, Recurrence recurrence, Payload draft, Map<String, String> marks, Instant now) {
        Map<String, String> fields = fields(name, namespace, recurrence, draft);
        fields.putAll(marks);
        return write(name, "save", recurrence.schedule().begins(now), NEW, fields) == 1;
    }

    /** Stores a recurring job as {@link #save} does, unless there is one of that name. Returns whether it did. */
    boolean create(String name, Recurrence recurrence, Payload draft, Instant now) {
        Map<String, String> fields = fields(name, namespace, recurrence, draft);
        return write(name, "create", recurrence.schedule().begins(now), NEW, fields) == 1;
    }

    /**
     * The fields to store for a recurring job, except for those that follow its life.
     *
     * @param draft see {@link #save}
     */
    public static Map<String, String> fields(String name, String namespace, Recurrence recurrence, Payload draft) {
        Payload message = draft.without("jid").without("created_at");
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("namespace", namespace);
        fields.put("klass", String.valueOf(draft.name()));
        fields.put("cron", recurrence.schedule().text());
        fields.put("description", recurrence.description());
        fields.put("source", "dynamic");
        fields.put("args", new String(draft.rawArgs(), UTF_8));
        fields.put("date_as_argument", "0");
        fields.put("message", new String(message.bytes(), UTF_8));
        fields.put("active_job", "0");
        fields.put("queue_name_prefix", "");
        fields.put("queue_name_delimiter", "");
        fields.put("retry", String.valueOf(draft.get("retry")));
        fields.put("symbolize_args", "0");
        String missed = RecurringJob.missedText(recurrence);
        if (missed != null) {
            fields.put(RecurringJob.MISSED, missed);
        }
        String overlap = RecurringJob.overlapText(recurrence.overlap());
        if (overlap != null) {
            fields.put(RecurringJob.OVERLAP, overlap);
        }
        return fields;
    }

    /**
     * Pauses or resumes a recurring job.
     *
     * @param seed the slot before now, which counts as taken if it is resumed; null if it is unknown
     * @return whether there is one of that name
     */
    public boolean enable(String name, boolean enabled, @Nullable Instant seed) {
        Map<String, String> status = Map.of("status", enabled ? "enabled" : "disabled");
        return write(name, "change", enabled ? seed : null, Map.of(), status) >= 0;
    }

    /**
     * Marks a slot as taken without pushing a job. Returns whether it was free; does nothing if its key has the wrong
     * type.
     */
    public boolean pass(String name, Instant slot) {
        Long added = Replies.unlessWrongType(() -> connection.<Long>run(commands -> commands.zadd(
                        own.slots(name),
                        ZAddArgs.Builder.nx(),
                        (double) slot.getEpochSecond(),
                        Bytes.of(slot.toString()))))
                .orElse(0L);
        return added == 1L;
    }

    /** A new job of a recurring one, with its lock unless such jobs may overlap. */
    Payload locked(RecurringJob job, Payload payload) {
        return locked(namespace, job, payload);
    }

    /** The same for a recurring job of a namespace. */
    public static Payload locked(String namespace, RecurringJob job, Payload payload) {
        return job.locks()
                ? payload.with(UniqueRule.LOCK, digest(namespace, job.name()))
                        .with(UniqueRule.FOR, LOCKED.toSeconds())
                        .with(UniqueRule.UNTIL, "success")
                        .without(UniqueRule.CONFLICT)
                : payload;
    }

    /** The names of the locks of all recurring jobs that are stored here and whose jobs must not overlap. */
    public Set<String> locks() {
        return snapshot().jobs().stream()
                .filter(RecurringJob::locks)
                .map(job -> digest(namespace, job.name()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** No lock of a unique job has it, since the name of a job has no line breaks. */
    private static String digest(String namespace, String name) {
        return UniqueRule.digest("\n\n" + namespace, name);
    }

    /** The jid of the job that keeps others of this recurring job away; null if there is none. */
    @Nullable String holder(String name) {
        return holders(Set.of(name)).get(name);
    }

    /** The same of many, by name. */
    Map<String, String> holders(Collection<String> names) {
        Map<String, String> holders = new HashMap<>();
        for (List<String> some : CallBounds.slices(List.copyOf(names), TOGETHER)) {
            List<@Nullable String> found = locks.holders(
                    some.stream().map(name -> digest(namespace, name)).toList());
            for (int i = 0; i < some.size(); i++) {
                String holder = found.get(i);
                if (holder != null) {
                    holders.put(some.get(i), holder);
                }
            }
        }
        return holders;
    }

    /**
     * The job of a fixed delay has ended: from now on its next slot is known, unless it was before. Does nothing if it has
     * not ended.
     */
    public void due(RecurringJob job, Instant slot) {
        due(job, slot.toString());
    }

    /** A job of a fixed delay that had ended was revived: its next slot, as it was read, is unknown again. */
    void forgetDue(RecurringJob job) {
        due(job, "");
    }

    private void due(RecurringJob job, String slot) {
        connection.<Long>callForOne(
                RECURRING_DUE,
                ScriptOutputType.INTEGER,
                new byte[][] {own.job(job.name()), locks.key(digest(namespace, job.name()))},
                new byte[][] {Bytes.of(job.cron()), Bytes.of(slot), Bytes.of(job.text(RecurringJob.DUE))});
    }

    /** Decides all slots up to one, of a job that remembers which are; without effect on others. */
    public void passTo(String name, Instant slot) {
        connection.<Long>callForOne(
                RECURRING_PASS, ScriptOutputType.INTEGER, new byte[][] {own.job(name)}, new byte[][] {
                    Bytes.of(slot.toString())
                });
    }

    /**
     * The mark by which applications see that their declarations are still stored: it disappears with the data, and its
     * number decreases when an older state of the data is restored.
     *
     * @param epoch the name of the data since it was last lost
     * @param number number of declarations since
     */
    public record DeclarationMark(String epoch, long number) {}

    /** The present mark, if there is one. */
    public Optional<DeclarationMark> mark() {
        return Replies.unlessWrongType(() -> connection.run(
                        commands -> commands.hmget(own.declared(), Bytes.of("epoch"), Bytes.of("number"))))
                .filter(found -> found.stream().allMatch(KeyValue::hasValue))
                .map(found -> new DeclarationMark(
                        Bytes.text(found.get(0).getValue()),
                        Bytes.number(found.get(1).getValue())));
    }

    /**
     * Counts a declaration that is about to be stored. Returns the new mark.
     *
     * @param epoch the epoch that begins if there is none, or if {@code lost}
     */
    public DeclarationMark declared(String epoch, boolean lost) {
        List<Object> mark = connection.call(RECURRING_DECLARED, new byte[][] {own.declared()}, new byte[][] {
            Bytes.of(epoch), Bytes.of(lost ? "1" : "")
        });
        return new DeclarationMark(Bytes.text(mark.get(0)), Bytes.number(mark.get(1)));
    }

    /** Notes what a start of an application changed, for people. Does nothing if the key has the wrong type. */
    public void noteChanges(DeclaredChanges changes) {
        connection.<Long>callForOne(
                RECURRING_NOTED, ScriptOutputType.INTEGER, new byte[][] {own.changes()}, new byte[][] {
                    changes.json(), Bytes.of(REMEMBERED), Bytes.of(CHANGES_SECONDS)
                });
    }

    /** What was noted, newest first. */
    public List<DeclaredChanges> changes() {
        return Replies.unlessWrongType(
                        () -> connection.run(commands -> commands.lrange(own.changes(), 0, REMEMBERED - 1)))
                .orElse(List.of())
                .stream()
                .map(DeclaredChanges::parse)
                .toList();
    }

    private long write(
            String name, String mode, @Nullable Instant seed, Map<String, String> first, Map<String, String> fields) {
        byte[] key = own.job(name);
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(key);
        arguments.add(Bytes.of(mode));
        arguments.add(Bytes.of(seed == null ? "" : seed.toString()));
        arguments.add(Bytes.of(first.size()));
        for (Map<String, String> some : List.of(first, fields)) {
            some.forEach((field, value) -> {
                arguments.add(Bytes.of(field));
                arguments.add(Bytes.of(value));
            });
        }
        return connection.<Long>callForOne(
                RECURRING_SAVE,
                ScriptOutputType.INTEGER,
                new byte[][] {key, own.jobs(), own.slots(name), own.own()},
                arguments.toArray(byte[][]::new));
    }

    /**
     * Fires a recurring job: takes the slot and pushes the job, or does neither. With {@link Overlap#CANCEL} it cancels
     * the job of an earlier slot in the same step; if that can't be, the log says that both may run.
     *
     * @param job as it was read; if it was changed since, nothing is done
     * @param slot the slot to take, or null to fire it without one, paused or not
     * @param now the current time
     * @param push the job to push; null if an enqueue middleware refused it, so that the slot passes without a job
     */
    public Fired fire(RecurringJob job, @Nullable Instant slot, Instant now, @Nullable Push push) {
        if (slot == null) {
            passWhatRubyTook(job, now);
        }
        String cancelled = null;
        Instant repeated =
                slot == null || job.schedule() == null ? null : job.schedule().repeated(slot);
        List<byte[]> scriptKeys = new ArrayList<>(
                List.of(own.job(job.name()), own.slots(job.name()), own.history(job.name()), keys.queues()));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(job.cron()),
                Bytes.of(job.text("message")),
                Bytes.of(slot == null ? "" : slot.toString()),
                Bytes.of(repeated == null ? "" : repeated.toString()),
                Bytes.of(slot == null ? 0 : slot.getEpochSecond()),
                Bytes.of(repeated == null ? 0 : repeated.getEpochSecond()),
                Bytes.of(RubyTime.withOffset(now)),
                push == null ? Bytes.of("") : historyEntry(push.jid(), now),
                Bytes.of(REMEMBERED)));
        if (push != null) {
            scriptKeys.add(keys.queue(push.queue()));
            arguments.add(Bytes.of(push.queue()));
            arguments.add(push.payload());
            if (job.locks() && push.jid() != null) {
                locks.noteUse();
                scriptKeys.add(locks.key(digest(namespace, job.name())));
                arguments.add(Bytes.of(push.jid()));
                arguments.add(Bytes.of(LOCKED.toMillis()));
                if (job.overlap() == Overlap.CANCEL) {
                    cancelled = holder(job.name());
                    arguments.add(Bytes.of(cancelled == null ? "" : cancelled));
                }
                if (cancelled != null) {
                    scriptKeys.addAll(cancellations.keys(cancelled));
                    arguments.addAll(cancellations.arguments(cancelled, now));
                }
            }
        }
        long answer = connection.<Long>callForOne(
                RECURRING_FIRE,
                ScriptOutputType.INTEGER,
                scriptKeys.toArray(byte[][]::new),
                arguments.toArray(byte[][]::new));
        return switch ((int) answer) {
            case 3 -> {
                log.error(
                        "Job {} of {} could not be cancelled, so it may run beside the one that was just enqueued: too many"
                                + " cancelled jobs have not ended, or a key holds a wrong type. Cancel or delete it by hand",
                        OneLine.of(cancelled),
                        job);
                yield Fired.DONE;
            }
            case 2 -> Fired.OVERLAPS;
            case 1 -> {
                if (cancelled != null) {
                    log.info(
                            "Job {} of {} is cancelled, since it has not ended and another one is enqueued",
                            OneLine.of(cancelled),
                            job);
                }
                yield Fired.DONE;
            }
            case 0 -> Fired.TAKEN;
            case -1 -> Fired.CHANGED;
            default -> Fired.WRONG_TYPE;
        };
    }

    /** Since a run by hand hides what Ruby did last, and Redis has forgotten slots of more than a day ago. */
    private void passWhatRubyTook(RecurringJob job, Instant now) {
        Instant decided = decided(job, now);
        if (decided != null && decided.isAfter(job.passed())) {
            passTo(job.name(), decided);
        }
    }

    /**
     * The time up to which all slots are decided, of a job that remembers it: also by what Ruby did last, as far as Redis
     * may have forgotten which slots it took. Null for a job that doesn't remember it.
     */
    static @Nullable Instant decided(RecurringJob job, Instant now) {
        Instant passed = job.passed();
        Instant byRuby = job.enqueuedByRuby();
        if (passed == null || byRuby == null) {
            return passed;
        }
        Instant remembered = now.minus(SURELY_REMEMBERED);
        Instant decided = byRuby.isBefore(remembered) ? byRuby : remembered;
        return decided.isAfter(passed) ? decided : passed;
    }

    private static byte[] historyEntry(@Nullable String jid, Instant now) {
        Map<String, @Nullable Object> entry = new LinkedHashMap<>();
        entry.put("jid", jid);
        entry.put("enqueued", RubyTime.inUtc(now));
        return Payload.of(entry).bytes();
    }

    /** The entries of the history of a recurring job, newest first, as they are stored. */
    public List<byte[]> history(String name) {
        return Replies.unlessWrongType(
                        () -> connection.run(commands -> commands.lrange(own.history(name), 0, REMEMBERED - 1)))
                .orElse(List.of());
    }

    /** Keeps a copy of a recurring job for a day. Returns whether there is one of that name. */
    public boolean keep(String name, String copy) {
        RecurringJob job = find(name).orElse(null);
        if (job == null) {
            return false;
        }
        byte[] text = Payload.of(job.fields()).bytes();
        connection.run(commands -> commands.setex(own.copy(copy), COPY_SECONDS, text));
        return true;
    }

    /**
     * Stores a recurring job as it was. If it isn't there or has another schedule, no slot before now is made up for, and a
     * delay begins now; else what its schedule has come to stays.
     *
     * @param now see {@link #save}
     * @return whether there is that copy of it
     */
    public boolean restore(String name, String copy, Instant now) {
        byte[] text = Replies.unlessWrongType(() -> connection.run(commands -> commands.get(own.copy(copy))))
                .orElse(null);
        if (text == null) {
            return false;
        }
        Map<String, String> first = new LinkedHashMap<>();
        Map<String, String> fields = new LinkedHashMap<>();
        Payload.parse(text).asMap().forEach((field, value) -> (OF_ITS_LIFE.contains(field) ? first : fields)
                .put(field, String.valueOf(value)));
        if (!name.equals(fields.get("name"))) {
            return false;
        }
        fields.keySet().removeAll(OF_ITS_SLOTS);
        CronSchedule schedule = new RecurringJob(name, fields).schedule();
        write(name, "save", schedule == null ? null : schedule.begins(now), first, fields);
        return true;
    }

    /** Deletes a recurring job with its slots and history. Returns whether there was one. */
    public boolean delete(String name) {
        return delete(name, "", "");
    }

    /** Deletes a recurring job if the given application still declares it. Returns whether it was deleted. */
    public boolean deleteDeclared(String name, String application) {
        return delete(name, RecurringJob.DECLARED_BY, application);
    }

    private boolean delete(String name, String field, String value) {
        byte[] key = own.job(name);
        return connection.<Long>callForOne(
                        RECURRING_DELETE,
                        ScriptOutputType.INTEGER,
                        new byte[][] {key, own.jobs(), own.slots(name), own.history(name), own.own()},
                        new byte[][] {key, Bytes.of(field), Bytes.of(value)})
                == 1;
    }
}
