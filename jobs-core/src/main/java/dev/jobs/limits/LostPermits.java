package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.chores.EffectUpkeep;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds permits of jobs that no process holds, and drops them. A permit comes and goes with its job in one step, so
 * there are none unless a key held another type at that moment, or somebody removed a job by hand. Walks through the
 * permits of all limits in small steps. Confined to one thread.
 */
@Internal
public final class LostPermits implements EffectUpkeep.Walk {

    /** How many permits one step looks at. */
    private static final int TOGETHER = 100;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimitKeys limitKeys;
    private final ParkedJobs parked;
    private final Deque<String> limits = new ArrayDeque<>();

    /** The last permit that was looked at; null for the first step of a limit. */
    private byte @Nullable [] last;

    public LostPermits(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.limitKeys = new LimitKeys(keys);
        this.parked = new ParkedJobs(connection, keys);
    }

    /** Begins a walk. */
    @Override
    public void begin() {
        limits.clear();
        limits.addAll(parked.names());
        last = null;
    }

    /** Whether the walk has come to its end. */
    @Override
    public boolean isOver() {
        return limits.isEmpty();
    }

    private record Permit(byte[] member, String key, String incarnation, String token) {

        static @Nullable Permit of(byte[] member) {
            String[] parts = Bytes.text(member).split("\n", 3);
            return parts.length == 3 ? new Permit(member, parts[0], parts[1], parts[2]) : null;
        }
    }

    /** Looks at some permits. Returns how many it dropped. */
    @Override
    public long step() {
        String limit = limits.peek();
        if (limit == null) {
            return 0;
        }
        byte[] from = last;
        Range<byte[]> rest = from == null
                ? Range.unbounded()
                : Range.from(Range.Boundary.excluding(from), Range.Boundary.unbounded());
        List<byte[]> some = Replies.<List<byte[]>>unlessWrongType(() -> connection.run(
                        commands -> commands.zrangebylex(limitKeys.permits(limit), rest, Limit.create(0, TOGETHER))))
                .orElse(List.of());
        if (some.size() < TOGETHER) {
            limits.remove();
            last = null;
        } else {
            last = some.get(some.size() - 1);
        }
        List<Permit> lost = withoutJobs(some);
        return lost.isEmpty() ? 0 : drop(limit, lost);
    }

    private List<Permit> withoutJobs(List<byte[]> members) {
        List<Permit> permits = new ArrayList<>();
        for (byte[] member : members) {
            Permit permit = Permit.of(member);
            if (permit != null) {
                permits.add(permit);
            }
        }
        if (permits.isEmpty()) {
            return permits;
        }
        List<Boolean> held = connection.run(commands -> Replies.all(permits.stream()
                .map(each -> Replies.unlessWrongType(
                        commands.hexists(keys.inFlight(each.incarnation()), Bytes.of(each.token())), true))
                .toList()));
        List<Permit> lost = new ArrayList<>();
        for (int i = 0; i < permits.size(); i++) {
            if (!held.get(i)) {
                lost.add(permits.get(i));
            }
        }
        return lost;
    }

    private long drop(String limit, List<Permit> lost) {
        String queue = QueueLimit.queueOf(limit);
        byte[] permits = limitKeys.permits(limit);
        List<byte[]> all =
                new ArrayList<>(List.of(permits, limitKeys.wake(), queue == null ? permits : limitKeys.bell(queue)));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(limit)));
        for (Permit each : lost) {
            all.add(keys.inFlight(each.incarnation()));
            all.add(limitKeys.permitted(each.incarnation()));
            arguments.addAll(List.of(each.member(), Bytes.of(each.token()), Bytes.of(each.key())));
        }
        return connection.<Long>callForOne(
                LimitScripts.PERMITS_DROP,
                ScriptOutputType.INTEGER,
                all.toArray(byte[][]::new),
                arguments.toArray(byte[][]::new));
    }
}
