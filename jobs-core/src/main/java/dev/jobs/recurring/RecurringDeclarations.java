package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.codec.OneLine;
import dev.jobs.recurring.DeclaredChanges.Change;
import dev.jobs.recurring.DeclaredChanges.Kind;
import dev.jobs.recurring.RecurringJobStore.DeclarationMark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the recurring jobs that this application declares, and removes those that it no longer declares: once, and
 * again after Redis lost its data. Jobs that people delete in between stay deleted. Logs and notes what that adds, changes
 * and removes.
 */
@Internal
public final class RecurringDeclarations {

    private static final Logger log = LoggerFactory.getLogger(RecurringDeclarations.class);

    private static final int EPOCH_BYTES = 8;

    private final RecurringJobStore cron;
    private final JobRegistry registry;
    private final RecurringConfig config;
    private final RandomGenerator random;

    // Confined to one thread.
    private boolean done;

    /** What was changed and is not noted yet. It stays if a call fails, since what is stored is no change any more. */
    private final List<Change> changes = new ArrayList<>();

    /** As last read from Redis; null while this application declares nothing. */
    private @Nullable DeclarationMark mark;

    /** @param config what marks the jobs that it declares, and of which queues these are */
    public RecurringDeclarations(
            RecurringJobStore cron, JobRegistry registry, RecurringConfig config, RandomGenerator random) {
        this.cron = cron;
        this.registry = registry;
        this.config = config;
        this.random = random;
    }

    /** Declares the jobs. Does nothing after it succeeded once, as long as Redis keeps its data. */
    public void declare() {
        if (!done) {
            declareAll(false);
            done = true;
        } else if (mark != null) {
            follow(mark, cron.mark().orElse(null));
        }
    }

    private void follow(DeclarationMark before, @Nullable DeclarationMark now) {
        boolean sameData = now != null && now.epoch().equals(before.epoch());
        boolean lost = now == null || sameData && now.number() < before.number();
        if (sameData && !lost) {
            mark = now;
            return;
        }
        log.warn(
                "Redis lost its data or went back to an older state; the recurring jobs that {} declares are stored again",
                config.application().isEmpty() ? "this application" : config.application());
        declareAll(lost);
    }

    /** @param lost whether no other process has noticed yet that the data are lost */
    private void declareAll(boolean lost) {
        Declaration.All all = Declaration.all(registry, config.schedules());
        List<Declaration> declared =
                all.recurring().stream().filter(this::isDeclaredHere).toList();
        // Before all else: data that are lost later are lost together with the mark.
        DeclarationMark now = declared.isEmpty() ? null : cron.declared(newEpoch(), lost);
        Map<String, RecurringJob> stored =
                declared.isEmpty() && config.application().isEmpty()
                        ? Map.of()
                        : cron.snapshot().jobs().stream().collect(Collectors.toMap(RecurringJob::name, job -> job));
        declared.forEach(each -> store(each, stored.get(each.name())));
        removeSwitchedOff(all.off());
        removeOthers(stored.values(), declared.stream().map(Declaration::name).collect(Collectors.toSet()));
        if (!changes.isEmpty()) {
            cron.noteChanges(new DeclaredChanges(config.application(), cron.time(), changes));
            changes.clear();
        }
        mark = now;
    }

    /** The engine of each shard declares the recurring jobs of its own queues. */
    private boolean isDeclaredHere(Declaration declared) {
        String queue = declared.queue();
        if (config.queues().misses(queue)) {
            log.error(
                    "Recurring job {} does not recur: its queue '{}' is {}. Add it to the queues of one of them",
                    declared.shown(),
                    queue,
                    config.queues().whereIs(queue));
        }
        return config.queues().declares(queue);
    }

    private String newEpoch() {
        byte[] bytes = new byte[EPOCH_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** @param before as it is stored; null if it isn't */
    private void store(Declaration declared, @Nullable RecurringJob before) {
        try {
            Instant now = cron.time();
            Map<String, String> marks = declared.marks(config.application(), before);
            boolean isNew = cron.save(declared.name(), declared.recurrence(), declared.draft(), marks, now);
            warnOfRuby(
                    declared.shown(),
                    declared.recurrence(),
                    String.valueOf(declared.draft().name()),
                    registry);
            String other = before == null ? "" : declared.changes(before, config.namespace(), marks);
            log.info(
                    "{} recurs at {}, next at {}{}",
                    declared.shown(),
                    declared.schedule(),
                    declared.schedule().next(now),
                    isNew ? "; new" : other.isEmpty() ? "" : "; changed: " + other);
            if (isNew || !other.isEmpty()) {
                changes.add(new Change(declared.name(), isNew ? Kind.ADDED : Kind.CHANGED, other));
            }
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                throw e;
            }
            log.error(
                    "Recurring job {} could not be stored, so it does not recur: {}", declared.shown(), e.getMessage());
        }
    }

    /**
     * Says of a job that its recurring job may come to a standstill: if Ruby performs it, its lock ends with its time.
     *
     * @param shown the recurring job
     */
    static void warnOfRuby(Object shown, Recurrence recurrence, String job, JobRegistry registry) {
        if (recurrence.waitsForEnds() && registry.find(job).isEmpty()) {
            log.warn(
                    "{} enqueues its next job when the last one has ended, as only Java tells. Its job {} is unknown here: if"
                            + " Ruby performs it, it is enqueued once a day at most. Then leave out the delay or overlap",
                    shown,
                    OneLine.of(job));
        }
    }

    /** Without a name of the application as well, since the job's own declaration says so. */
    private void removeSwitchedOff(Map<String, String> off) {
        off.forEach((name, shown) -> {
            if (cron.deleteDeclared(name, config.application())) {
                log.info("{} no longer recurs: its schedule is '-'", shown);
                changes.add(new Change(name, Kind.REMOVED, ""));
            }
        });
    }

    private void removeOthers(Collection<RecurringJob> stored, Set<String> declared) {
        String application = config.application();
        if (application.isEmpty()) {
            return;
        }
        for (RecurringJob job : stored) {
            if (application.equals(job.declaredBy())
                    && !declared.contains(job.name())
                    && cron.deleteDeclared(job.name(), application)) {
                log.info("{} is removed, because {} no longer declares it", job, application);
                changes.add(new Change(job.name(), Kind.REMOVED, ""));
            }
        }
    }
}
