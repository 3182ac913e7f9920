package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ends.Cancellations;
import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.Ledger;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.Bytes;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Limited jobs that are pushed, claimed, admitted, parked, settled, handed back, deleted and recovered at random, with
 * repeated calls and lost answers, by workers that die. Checked after every step: what is held, where each job is, and
 * that a free permit never waits for nothing. With rates also: that no more jobs start in any time than these allow.
 */
class LimitWalkIT {

    /** Of the walks of each build, and of those of the proof. */
    private static final int STEPS = 150;

    private static final int LONG_STEPS = 1_500;
    private static final List<String> QUEUES = List.of("mail", "low");
    private static final JobLimit OF_MAIL = new JobLimit("queue:mail", "", null);

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final List<String> LIMITS = List.of("shop", "erp", "one");

    private final Map<String, Integer> most = new HashMap<>(Map.of("shop", 2, "erp", 3, "one", 1));
    private final Map<String, LimitRate> rates = new HashMap<>();
    private final Permits permits = new Permits(bed.connection, bed.keys);
    private final PermitEffects effects = new PermitEffects(bed.keys);
    private final ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
    private final LimitStates states = new LimitStates(bed.connection, bed.keys);
    private final Cancellations cancellations = new Cancellations(bed.connection, bed.keys);
    private final JobSets sets = bed.sets();
    private final List<Living> living = new ArrayList<>();
    private final List<String> dead = new ArrayList<>();
    private final Set<String> pending = new TreeSet<>();
    private Random random = new Random();
    private int births;
    private int jobs;
    private int handedOver;
    private int parkings;
    private boolean lowered;
    private int mostOfMail = 5;
    private boolean mailLowered;
    private boolean mailWasFull;
    private int filled;
    private int cancels;
    private int skipped;
    private Set<String> takenBefore = new HashSet<>();
    private long checked;
    private final Map<String, List<Start>> starts = new HashMap<>();

    /** A job got its permit of a limit and key between these two times of the server, in microseconds. */
    private record Start(long after, long before) {}

    /**
     * @param asking jobs that may or may not have their permits
     * @param running jobs that have them
     */
    private record Living(Worker worker, Map<String, Claimed> asking, Map<String, Claimed> running) {}

    /** The name of a job says its limits: LIMIT=KEY, separated by '+', then its number. */
    private String job() {
        List<String> limits = new ArrayList<>();
        if (random.nextInt(10) > 0) {
            limits.add("shop=" + random.nextInt(3));
        }
        if (random.nextInt(4) == 0) {
            limits.add("erp=");
        }
        if (random.nextInt(6) == 0) {
            limits.add("one=" + random.nextInt(2));
        }
        return String.join("+", limits) + "#" + jobs++;
    }

    private List<JobLimit> limits(String job) {
        List<JobLimit> limits = new ArrayList<>();
        for (String each : job.substring(0, job.indexOf('#')).split("\\+")) {
            if (!each.isEmpty()) {
                String name = each.substring(0, each.indexOf('='));
                limits.add(new JobLimit(name, each.substring(each.indexOf('=') + 1), null));
            }
        }
        return limits;
    }

    private Map<String, LimitNumbers> numbers() {
        Map<String, LimitNumbers> numbers = new HashMap<>();
        LIMITS.forEach(name -> numbers.put(name, new LimitNumbers(most.get(name), rates.get(name))));
        return numbers;
    }

    private List<JobLimit> limits(Claimed claimed) {
        return limits(Bytes.text(claimed.payload()));
    }

    /** All effects, as an engine makes them: jobs of a limited queue may always hold its permit. */
    private List<Effect> release(Living process, Claimed claimed, List<JobLimit> own) {
        List<JobLimit> all = new ArrayList<>(own);
        if (claimed.queue().equals("mail")) {
            all.add(OF_MAIL);
        }
        return effects.of(process.worker().id, claimed.queue(), all);
    }

    private void push() {
        String queue = QUEUES.get(random.nextInt(2));
        for (int i = 0; i <= random.nextInt(4); i++) {
            String job = job();
            pending.add(job);
            bed.push(queue, job);
        }
    }

    private void work(Living process) {
        List<Settlement> settled = new ArrayList<>();
        for (Map<String, Claimed> some : List.of(process.asking(), process.running())) {
            boolean runs = some == process.running();
            some.values().removeIf(claimed -> {
                boolean ends = random.nextInt(runs ? 2 : 20) == 0;
                if (ends) {
                    settled.add(end(claimed, runs).with(release(process, claimed, limits(claimed))));
                }
                return ends;
            });
        }
        if (settled.size() > 1 && random.nextInt(5) == 0) {
            settled.add(settled.get(0)); // comes too late
        }
        List<String> queues = random.nextInt(3) == 0 ? List.of("low") : List.of("mail", "low");
        int want = random.nextInt(6);
        process.worker().threads = random.nextInt(6);
        List<Claimed> claimed =
                process.worker().exchange(0, want, 1, queues, settled).claimed();
        if (random.nextInt(10) == 0) {
            claimed = process.worker().repeat(process.worker().last()).claimed();
        }
        for (Claimed each : claimed) {
            boolean permitted = (each.permit() != null) || limits(each).isEmpty();
            handedOver += (each.permit() != null) ? 1 : 0;
            (permitted ? process.running() : process.asking()).put(each.token(), each);
        }
    }

    private Settlement end(Claimed claimed, boolean runs) {
        String job = Bytes.text(claimed.payload());
        if (!runs) {
            return Settlement.handedBack(claimed.token(), claimed.queue(), false);
        }
        switch (random.nextInt(8)) {
            case 0:
                return Settlement.retried(claimed.token(), Duration.ofDays(1), claimed.payload());
            case 1:
                return Settlement.postponed(claimed.token(), Duration.ofDays(1), claimed.payload());
            case 2:
                return Settlement.handedBack(claimed.token(), claimed.queue(), true);
            case 3:
                return Settlement.interrupted(claimed.token(), claimed.queue(), claimed.payload());
            case 4:
                pending.remove(job);
                return Settlement.failed(claimed.token());
            default:
                pending.remove(job);
                return Settlement.done(claimed.token());
        }
    }

    private void admit(Living process) {
        List<Claimed> some = new ArrayList<>(process.asking().values());
        List<Asking> asking = some.stream()
                .map(claimed -> new Asking(
                        claimed.token(),
                        claimed.queue(),
                        number(claimed),
                        limits(claimed),
                        new StartConditions(" j" + number(claimed), null),
                        release(process, claimed, List.of())))
                .toList();
        if (asking.isEmpty()) {
            return;
        }
        if (random.nextInt(5) == 0) {
            permits.admit(process.worker().id, asking); // its answer is lost
            if (random.nextInt(2) == 0) {
                return;
            }
        }
        List<Answer> answers = permits.admit(process.worker().id, asking).orElseThrow();
        for (int i = 0; i < answers.size(); i++) {
            Claimed claimed = some.get(i);
            process.asking().remove(claimed.token());
            if (answers.get(i) == Answer.ADMITTED) {
                process.running().put(claimed.token(), claimed);
            } else if (answers.get(i) == Answer.CANCELLED) {
                process.worker()
                        .settle(Settlement.skipped(claimed.token()).with(release(process, claimed, limits(claimed))));
                pending.remove(Bytes.text(claimed.payload()));
                skipped++;
            } else {
                parkings++;
            }
        }
    }

    private static long number(Claimed claimed) {
        return number(Bytes.text(claimed.payload()));
    }

    private static long number(String job) {
        return Long.parseLong(job.substring(job.indexOf('#') + 1));
    }

    /** Wherever it is, often while it is parked. */
    private void cancelOne() {
        List<String> some = List.copyOf(pending);
        String job = some.get(random.nextInt(some.size()));
        if (!job.equals("#first")) {
            cancellations.cancel(Long.toString(number(job)), java.time.Instant.now());
        }
    }

    private void kill(Living process) {
        living.remove(process);
        dead.add(process.worker().id);
    }

    private void reap(String victim) {
        bed.redis.texts().zadd("jobs:beats", -1, victim);
        while (!bed.leases().reap(victim).finished()) {
            // some jobs in each call
        }
        bed.redis.texts().del("jobs:recovered"); // or jobs would be buried
        dead.remove(victim);
    }

    private void promote(StoredSet set) {
        List<Entry> some = sets.lowest(set, 0, 1 + random.nextInt(5));
        sets.move(
                set,
                some.stream()
                        .map(each -> sets.toQueue(each.payload(), QUEUES.get(random.nextInt(2)), each.payload()))
                        .toList());
    }

    private void deleteFromAQueue() {
        String queue = QUEUES.get(random.nextInt(2));
        List<String> all = bed.queue(queue);
        if (!all.isEmpty()) {
            String job = all.get(0); // often one that was about to take a permit
            bed.redis.texts().lrem("queue:" + queue, -1, job);
            pending.remove(job);
        }
    }

    private void look() {
        parked.look(bed.sets().due(10).looks(), java.time.Instant.now());
    }

    /** What the leader would do within some seconds. */
    private void lookLater() {
        bed.members("jobs:wake").stream()
                .filter(limitId -> !limitId.isEmpty())
                .forEach(limitId -> bed.redis.texts().zadd("jobs:wake", 0, limitId));
        look();
    }

    private void change() {
        int now = 1 + random.nextInt(4);
        lowered |= now < most.getOrDefault("shop", 0);
        most.put("shop", now);
        bed.redis.texts().hset("jobs:limits", "s:shop", Integer.toString(now));
        bed.redis.texts().zadd("jobs:wake", 0, "");
        look();
    }

    private void changeMail() {
        int now = 1 + random.nextInt(8);
        mailLowered |= now < mostOfMail;
        mostOfMail = now;
        states.set("queue:mail", LimitNumbers.atOnce(now));
    }

    /** Each job of the queue has its permit, no other one has, and the bell rings as soon as there is room. */
    private void checkMail(Set<String> held) {
        Set<String> permitted = new HashSet<>();
        for (String permit : bed.members("jobs:permits:queue:mail")) {
            permitted.add(permit.substring(1));
        }
        assertThat(permitted)
                .as("jobs of the queue that are in flight have permits, and no others")
                .containsExactlyInAnyOrderElementsOf(
                        held.stream().filter(each -> each.endsWith(":mail")).toList());
        mailLowered &= permitted.size() > mostOfMail;
        assertThat(mailLowered || permitted.size() <= mostOfMail).isTrue();
        boolean rang = bed.redis.texts().del("jobs:bell:mail") == 1;
        boolean full = permitted.size() >= mostOfMail;
        assertThat(rang || full || !mailWasFull).as("the bell rings for room").isTrue();
        filled += full && !mailWasFull ? 1 : 0;
        mailWasFull = full;
    }

    private void check() {
        Map<String, Integer> places = new HashMap<>();
        QUEUES.forEach(queue -> bed.queue(queue).forEach(job -> places.merge(job, 1, Integer::sum)));
        List.of("retry", "schedule")
                .forEach(set -> bed.members(set).forEach(job -> places.merge(job, 1, Integer::sum)));
        Map<String, String> held = new HashMap<>();
        List<String> processes = new ArrayList<>(dead);
        living.forEach(each -> processes.add(each.worker().id));
        for (String process : processes) {
            bed.inFlight(process).forEach((token, job) -> {
                places.merge(job, 1, Integer::sum);
                held.put(process + "\n" + token, job);
            });
        }
        checkMail(held.keySet());
        Set<String> woken = new HashSet<>(bed.members("jobs:wake"));
        Map<String, Integer> out = new HashMap<>();
        Set<String> taken = new HashSet<>();
        for (String limit : LIMITS) {
            for (String permit : bed.members("jobs:permits:" + limit)) {
                String key = permit.substring(0, permit.indexOf('\n'));
                String holder = permit.substring(permit.indexOf('\n') + 1);
                assertThat(held).as("the job of a permit is in flight").containsKey(holder);
                assertThat(limits(held.get(holder))).extracting(JobLimit::id).contains(limit + "\n" + key);
                out.merge(limit + "\n" + key, 1, Integer::sum);
                taken.add(limit + "\n" + permit);
            }
        }
        for (Living each : living) {
            for (Claimed runs : each.running().values()) {
                for (JobLimit limit : limits(runs)) {
                    assertThat(taken)
                            .as("a job that runs has its permit")
                            .contains(limit.id() + "\n" + each.worker().id + "\n" + runs.token());
                }
            }
        }
        noteStarts(taken);
        for (String limit : LIMITS) {
            for (String waits : bed.members("jobs:parked:" + limit)) {
                String[] parts = waits.split("\n", 5);
                places.merge(parts[4], 1, Integer::sum);
                String limitId = limit + "\n" + parts[0];
                assertThat(out.getOrDefault(limitId, 0) >= mostOf(limit)
                                || woken.contains(limitId)
                                || woken.contains(""))
                        .as("nobody would let %s go on", limitId)
                        .isTrue();
            }
        }
        if (!lowered) {
            out.forEach((limitId, count) ->
                    assertThat(count).isLessThanOrEqualTo(mostOf(limitId.substring(0, limitId.indexOf('\n')))));
        }
        if (!rates.isEmpty()) {
            checkTimes();
        }
        assertThat(places.keySet()).containsExactlyInAnyOrderElementsOf(pending);
        assertThat(places.values()).as("each job is in one place").allMatch(count -> count == 1);
    }

    private int mostOf(String limit) {
        return most.getOrDefault(limit, Integer.MAX_VALUE);
    }

    private static long micros() {
        return bed.redis.texts().time().stream()
                .mapToLong(Long::parseLong)
                .reduce(0, (all, each) -> all * 1_000_000 + each);
    }

    private void noteStarts(Set<String> taken) {
        long now = micros();
        for (String each : taken) {
            if (!takenBefore.contains(each)) {
                String[] parts = each.split("\n", 3);
                starts.computeIfAbsent(parts[0] + "\n" + parts[1], limitId -> new ArrayList<>())
                        .add(new Start(checked, now));
            }
        }
        takenBefore = taken;
        checked = now;
    }

    /** The leader looks in time, and nothing lets a job wait for longer than until the next start. */
    private void checkTimes() {
        double now = bed.now();
        bed.redis.texts().hgetall("jobs:rate").forEach((limitId, next) -> assertThat(Long.parseLong(next))
                .as(limitId)
                .isLessThanOrEqualTo(micros() + every(limitId)));
        for (ScoredValue<String> each : bed.redis.texts().zrangeWithScores("jobs:wake", 0, -1)) {
            if (!each.getValue().isEmpty()) {
                assertThat(each.getScore()).as(each.getValue()).isLessThanOrEqualTo(now + 6);
            }
        }
    }

    /** Microseconds from one start to the next. */
    private long every(String limitId) {
        LimitRate rate = rates.get(limitId.substring(0, limitId.indexOf('\n')));
        return rate == null ? 0 : rate.per().toNanos() / 1_000 / rate.jobs();
    }

    /** By the cell rate: of n starts the last one is at least (n - burst) times later than the first one. */
    private void checkStarts() {
        starts.forEach((limitId, all) -> {
            LimitRate rate = rates.get(limitId.substring(0, limitId.indexOf('\n')));
            for (int first = 0; rate != null && first < all.size(); first++) {
                for (int last = first; last < all.size(); last++) {
                    long time = all.get(last).before() - all.get(first).after();
                    assertThat((long) last - first + 1)
                            .as("starts of %s in %s µs", limitId, time)
                            .isLessThanOrEqualTo(rate.burst() + time / every(limitId));
                }
            }
        });
    }

    @Test
    void noMoreStartInAnyTimeThanTheRateAllows() {
        walkWithRates(5, STEPS / 2); // it has to wait for its starts
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7, 8})
    void noMoreStartInAnyTimeOfALongWalkThanTheRateAllows(int seed) {
        walkWithRates(seed, LONG_STEPS);
    }

    private void walkWithRates(int seed, int steps) {
        rates.put("shop", new LimitRate(50, Duration.ofSeconds(1), 3));
        rates.put("erp", new LimitRate(100, Duration.ofSeconds(1), 1));
        most.remove("erp");

        walk(seed, steps);

        assertThat(starts.get("erp\n")).as("starts by a rate").hasSizeGreaterThan(steps / 75);
        checkStarts();
    }

    @Test
    void everyPermitHasItsJobAndEveryJobItsPlace() {
        walk(6, STEPS);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void everyPermitHasItsJobInLongWalks(int seed) {
        walk(seed, LONG_STEPS);
    }

    @Test
    void cancelledJobsTakeNothing() {
        cancels = 60;

        walk(6, STEPS);

        assertThat(skipped).isGreaterThan(STEPS / 75);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(ints = {10, 11})
    void cancelledJobsTakeNothingInLongWalks(int seed) {
        cancels = 60;

        walkWithRates(seed, LONG_STEPS);

        assertThat(skipped).isGreaterThan(LONG_STEPS / 75);
    }

    private void walk(int seed, int steps) {
        bed.clear();
        checked = micros();
        random = new Random(seed);
        permits.declare(numbers());
        permits.declare(Map.of("queue:mail", LimitNumbers.atOnce(mostOfMail)));
        look();
        bed.redis.texts().zrem("jobs:wake", ""); // so that nothing depends on the look at all
        pending.add("#first");
        bed.push("low", "#first");
        for (int step = 0; step < steps; step++) {
            while (living.size() < 3) {
                Worker born = bed.worker("p" + births++).join();
                born.limits.add(new QueueLimit("mail", 5));
                living.add(new Living(born, new HashMap<>(), new HashMap<>()));
            }
            Living one = living.get(random.nextInt(living.size()));
            int dice = random.nextInt(1_000);
            if (random.nextInt(1_000) < cancels && !pending.isEmpty()) {
                cancelOne();
            }
            if (dice < 150) {
                push();
            } else if (dice < 500) {
                work(one);
            } else if (dice < 800) {
                admit(one);
            } else if (dice < 850) {
                look();
            } else if (dice < 880) {
                lookLater();
            } else if (dice < 920) {
                promote(random.nextBoolean() ? StoredSet.RETRY : StoredSet.SCHEDULE);
            } else if (dice < 940) {
                deleteFromAQueue();
            } else if (dice < 960) {
                kill(one);
            } else if (dice < 990) {
                if (!dead.isEmpty()) {
                    reap(dead.get(random.nextInt(dead.size())));
                }
            } else if (seed > 2) {
                change();
                changeMail();
                bed.redis.texts().zrem("jobs:wake", "");
            }
            check();
        }
        assertThat(handedOver).isGreaterThanOrEqualTo(steps / 150);
        assertThat(parkings).isGreaterThan(steps * 2 / 15);
        assertThat(filled).isGreaterThan(steps / 75);

        drain();
    }

    private void drain() {
        List.copyOf(dead).forEach(this::reap);
        for (int i = 0; i < 5_000 && !pending.isEmpty(); i++) {
            promote(StoredSet.RETRY);
            promote(StoredSet.SCHEDULE);
            living.forEach(this::work);
            living.forEach(this::admit);
            lookLater();
            check();
        }
        assertThat(pending).as("every job came to its end").isEmpty();
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(bed.redis.texts().keys("jobs:parked*")).isEmpty();
        Ledger.Totals books = bed.books();
        assertThat(books.inFlight()).isZero();
    }
}
