package dev.jobs.shards;

import dev.jobs.Payload;
import dev.jobs.shards.TransferReport.Left;
import dev.jobs.shards.TransferSlice.Place;
import dev.jobs.shards.TransferSource.Fate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One way through all places where jobs of a queue wait. Knows where it is, how many it passed over, and why. Not
 * thread-safe.
 */
final class TransferPass {

    /** The jobs of a page that may go, with their ids. */
    record Candidates(List<byte[]> jobs, List<String> jids) {}

    private final String queue;
    private final StayingJobs staying;
    private final boolean dead;
    private final List<Place> places;
    private final Map<Left, Long> left = new EnumMap<>(Left.class);
    private int at;
    private long from;
    private long took;
    private long staysInQueue;
    private long held;
    private long parked;
    private long unparked;
    private boolean begun;
    private boolean heldUp;

    /** @param dead whether dead jobs go as well */
    TransferPass(String queue, StayingJobs staying, boolean dead) {
        this.queue = queue;
        this.staying = staying;
        this.dead = dead;
        List<Place> all = new ArrayList<>(List.of(Place.SCHEDULE, Place.QUEUE, Place.ORDER, Place.RETRY));
        if (dead) {
            all.add(Place.DEAD);
        }
        this.places = List.copyOf(all);
    }

    /** Where it is and what it saw, for the process that goes on with it; empty if it has not begun or is over. */
    String saved() {
        Place place = place();
        if (!begun || place == null) {
            return "";
        }
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("dead", dead ? 1L : 0);
        numbers.put("from", from);
        numbers.put("took", took);
        numbers.put("stays", staysInQueue);
        numbers.put("held", held);
        numbers.put("parked", parked);
        numbers.put("unparked", unparked);
        numbers.put("late", heldUp ? 1L : 0);
        left.forEach((why, jobs) -> numbers.put(why.name(), jobs));
        return place.label()
                + numbers.entrySet().stream()
                        .map(each -> " " + each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining());
    }

    /**
     * Goes to where another one was, if that one has looked for the same jobs.
     *
     * @return whether it did; otherwise it begins
     */
    boolean goOn(String saved) {
        String[] words = saved.split(" ", -1);
        Map<String, Long> numbers = new HashMap<>();
        try {
            for (int i = 1; i < words.length; i++) {
                int equals = words[i].indexOf('=');
                numbers.put(words[i].substring(0, equals), Long.parseLong(words[i].substring(equals + 1)));
            }
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return false; // of another version: a new pass does no harm
        }
        int place = places.stream().map(Place::label).toList().indexOf(words[0]);
        if (place < 0 || numbers.getOrDefault("dead", -1L) != (dead ? 1 : 0)) {
            return false;
        }
        at = place;
        from = numbers.getOrDefault("from", 0L);
        took = numbers.getOrDefault("took", 0L);
        staysInQueue = numbers.getOrDefault("stays", 0L);
        held = numbers.getOrDefault("held", 0L);
        parked = numbers.getOrDefault("parked", 0L);
        unparked = numbers.getOrDefault("unparked", 0L);
        heldUp = numbers.getOrDefault("late", 0L) != 0;
        for (Left why : Left.values()) {
            Long jobs = numbers.get(why.name());
            if (jobs != null) {
                left.put(why, jobs);
            }
        }
        begun = true;
        return true;
    }

    /** Decides which jobs stay. */
    StayingJobs staying() {
        return staying;
    }

    /** Where it is; null if it has been everywhere. */
    @Nullable Place place() {
        return at < places.size() ? places.get(at) : null;
    }

    /** How many jobs it has passed over at that place. */
    long from() {
        return from;
    }

    /** There is no more at that place. */
    void nextPlace() {
        at++;
        from = 0;
    }

    /** Chooses the jobs of a page that may go, and passes over the others. */
    Candidates choose(List<TransferSlice.Entry> page) {
        List<byte[]> jobs = new ArrayList<>();
        List<String> jids = new ArrayList<>();
        for (TransferSlice.Entry each : page) {
            Payload payload = StayingJobs.read(each.payload());
            boolean queued = each.place() == Place.QUEUE || each.place() == Place.ORDER;
            boolean mine = queued || payload != null && queue.equals(payload.queue());
            Left why = mine && payload != null ? staying.why(payload, each.place()) : null;
            if (!mine) {
                from++;
            } else if (why != null) {
                stays(why);
            } else {
                jobs.add(each.payload());
                String jid = payload == null ? null : payload.jid();
                jids.add(jid == null ? "" : jid);
            }
        }
        return new Candidates(jobs, jids);
    }

    private void stays(Left why) {
        from++;
        left.merge(why, 1L, Long::sum);
        if (places.get(at) == Place.QUEUE || places.get(at) == Place.ORDER) {
            staysInQueue++;
        }
    }

    /** Notes what became of the chosen ones. */
    void note(List<Fate> fates) {
        for (Fate fate : fates) {
            switch (fate) {
                case TAKEN -> took++;
                case BEGUN -> stays(Left.BEGUN);
                case RECOVERED -> stays(Left.RECOVERED);
                case GONE -> {}
            }
        }
    }

    /** Notes what became of parked jobs that were chosen; those that stay are counted as parked. */
    void noteParked(List<Fate> fates) {
        long gone = fates.stream().filter(fate -> fate == Fate.TAKEN).count();
        took += gone;
        unparked += gone;
    }

    /** Another slice went first, or one came back: jobs that it chose may be where they were. */
    void wasHeldUp() {
        heldUp = true;
    }

    /** Whether it saw all jobs of the places where it has been. */
    boolean sawAll() {
        return !heldUp;
    }

    /** Whether nothing was there to be taken. */
    boolean foundNothing() {
        return took == 0 && !heldUp;
    }

    /** Whether it has counted the jobs that are at no place of its own. */
    boolean hasBegun() {
        return begun;
    }

    /**
     * Notes how many jobs are at no place of its own now. They may come to one where it has been, and be gone from here
     * when it counts again, so the largest number counts.
     */
    void saw(long nowHeld, long nowParked) {
        begun = true;
        held = Math.max(held, nowHeld);
        parked = Math.max(parked, nowParked);
    }

    long held() {
        return held;
    }

    long parked() {
        return Math.max(0, parked - unparked);
    }

    Map<Left, Long> left() {
        return left;
    }

    /** How many jobs stay in the queue itself. */
    long staysInQueue() {
        return staysInQueue;
    }
}
