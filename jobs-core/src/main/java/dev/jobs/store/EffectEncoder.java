package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes the effects of one call for {@code shared_effects.lua}. Not thread-safe. */
@Internal
public final class EffectEncoder {

    private static final class Group {
        private final List<byte[]> keys = new ArrayList<>();
        private final List<Entry> entries = new ArrayList<>();

        /** The index of the first of these keys, which stand together, from 0. */
        private int first(List<byte[]> all) {
            for (int i = 0; i <= keys.size() - all.size(); i++) {
                if (areAt(i, keys, all)) {
                    return i;
                }
            }
            keys.addAll(all);
            return keys.size() - all.size();
        }
    }

    /**
     * An effect and the jobs that have it.
     *
     * @param first the index of the first of its keys among those of its group, from 0
     */
    private record Entry(Effect effect, int first, List<Integer> jobs) {

        void appendTo(List<byte[]> arguments) {
            arguments.add(Bytes.of(runs()));
            arguments.add(Bytes.of(effect.outcome()));
            arguments.add(Bytes.of(first));
            arguments.addAll(effect.arguments());
        }

        /** Such as {@code 1-40 43}. */
        private String runs() {
            StringBuilder runs = new StringBuilder();
            for (int i = 0; i < jobs.size(); ) {
                int first = i++;
                while (i < jobs.size() && jobs.get(i) == jobs.get(i - 1) + 1) {
                    i++;
                }
                runs.append(first == 0 ? "" : " ").append(jobs.get(first));
                if (i - first > 1) {
                    runs.append('-').append(jobs.get(i - 1));
                }
            }
            return runs.toString();
        }
    }

    /** Brief effects of one kind with the same keys, as runs of jobs and numbers that both follow each other. */
    private static final class BriefGroup {

        private static final int RUN = 2 * Short.BYTES + Integer.BYTES;

        private final String kind;
        private final List<byte[]> keys;
        private final ByteArrayOutputStream runs = new ByteArrayOutputStream();
        private int job;
        private long number;
        private int count;

        BriefGroup(Effect first) {
            kind = first.kind();
            keys = first.keys();
        }

        boolean isOf(Effect effect) {
            return kind.equals(effect.kind()) && keys.size() == effect.keys().size() && areAt(0, keys, effect.keys());
        }

        void add(int next, long its) {
            if (next != job + count || its != number + count) {
                endRun();
                job = next;
                number = its;
            }
            count++;
        }

        private void endRun() {
            if (count > 0) {
                runs.writeBytes(ByteBuffer.allocate(RUN)
                        .putShort((short) job)
                        .putInt((int) number)
                        .putShort((short) count)
                        .array());
                count = 0;
            }
        }

        void appendTo(List<byte[]> allKeys, List<byte[]> arguments) {
            endRun();
            arguments.add(Bytes.of(kind));
            arguments.add(Bytes.of(allKeys.size() + 1));
            arguments.add(ARE_BRIEF);
            arguments.add(runs.toByteArray());
            allKeys.addAll(keys);
        }
    }

    private static final byte[] ARE_BRIEF = Bytes.of(0);

    private final RedisKeys names;

    private final Map<String, Group> groups = new LinkedHashMap<>();
    private final Map<Effect, Entry> entries = new IdentityHashMap<>();
    private final List<BriefGroup> briefGroups = new ArrayList<>();

    public EffectEncoder(RedisKeys names) {
        this.names = names;
    }

    /**
     * Adds those of a job. An effect that several jobs have is encoded once.
     *
     * @param job its number in the call, from 1, less than 2¹⁶
     */
    public void add(int job, List<Effect> effects) {
        for (Effect effect : effects) {
            if (effect.isBrief()) {
                briefGroup(effect).add(job, effect.number());
                continue;
            }
            Entry shared = entries.get(effect);
            if (shared == null) {
                Group group = groups.computeIfAbsent(effect.kind(), kind -> new Group());
                shared = new Entry(effect, group.first(effect.keys()), new ArrayList<>());
                group.entries.add(shared);
                entries.put(effect, shared);
            }
            shared.jobs().add(job);
        }
    }

    /** Whether some keys stand together at an index. */
    private static boolean areAt(int index, List<byte[]> keys, List<byte[]> some) {
        for (int i = 0; i < some.size(); i++) {
            if (!Arrays.equals(keys.get(index + i), some.get(i))) {
                return false;
            }
        }
        return true;
    }

    private BriefGroup briefGroup(Effect effect) {
        for (int i = briefGroups.size() - 1; i >= 0; i--) { // the last ones first: jobs of a batch come together
            if (briefGroups.get(i).isOf(effect)) {
                return briefGroups.get(i);
            }
        }
        BriefGroup group = new BriefGroup(effect);
        briefGroups.add(group);
        return group;
    }

    /** Appends them to all other keys and arguments of the call. */
    public void appendTo(List<byte[]> keys, List<byte[]> arguments) {
        groups.forEach((kind, group) -> {
            arguments.add(Bytes.of(kind));
            arguments.add(Bytes.of(keys.size() + 1));
            arguments.add(Bytes.of(group.entries.size()));
            group.entries.forEach(entry -> entry.appendTo(arguments));
            keys.addAll(group.keys);
        });
        briefGroups.forEach(group -> group.appendTo(keys, arguments));
        if (!groups.isEmpty() || !briefGroups.isEmpty()) {
            keys.add(new StoreKeys(names).lostEffects());
        }
    }
}
