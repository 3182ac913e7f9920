package dev.jobs.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes the effects of one call for {@code shared_effects.lua}. Not thread-safe. */
final class EffectEncoder {

    private static final class Group {
        private final List<byte[]> keys = new ArrayList<>();
        private final List<byte[]> entries = new ArrayList<>();
        private int count;

        /** The index of the first of these keys, which stand together, from 0. */
        private int place(List<byte[]> all) {
            for (int i = 0; i <= keys.size() - all.size(); i++) {
                if (isAt(i, all)) {
                    return i;
                }
            }
            keys.addAll(all);
            return keys.size() - all.size();
        }

        private boolean isAt(int index, List<byte[]> all) {
            for (int i = 0; i < all.size(); i++) {
                if (!Arrays.equals(keys.get(index + i), all.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    private final Map<String, Group> groups = new LinkedHashMap<>();

    /** @param job its number in the call, from 1 */
    void add(int job, List<Effect> effects) {
        for (Effect effect : effects) {
            Group group = groups.computeIfAbsent(effect.kind(), kind -> new Group());
            group.count++;
            group.entries.add(Bytes.of(job));
            group.entries.add(Bytes.of(effect.outcome()));
            group.entries.add(Bytes.of(group.place(effect.keys())));
            group.entries.addAll(effect.arguments());
        }
    }

    /** Appends them to all other keys and arguments of the call. */
    void appendTo(List<byte[]> keys, List<byte[]> arguments) {
        groups.forEach((kind, group) -> {
            arguments.add(Bytes.of(kind));
            arguments.add(Bytes.of(keys.size() + 1));
            arguments.add(Bytes.of(group.count));
            arguments.addAll(group.entries);
            keys.addAll(group.keys);
        });
    }
}
