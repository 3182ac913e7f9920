package dev.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.store.Settlement.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** The jobs that must exist after the steps so far, to be compared with what Redis holds. */
final class ExpectedJobs {

    private final ScriptTestBed bed;
    private final Set<String> all = new HashSet<>();
    private final Set<String> gone = new HashSet<>();
    private long processed;
    private long failed;
    private long happened;

    ExpectedJobs(ScriptTestBed bed) {
        this.bed = bed;
    }

    /** The payload of a new job. */
    String newJob(boolean notForTheDeadSet) {
        String id = "j" + all.size();
        all.add(id);
        return "{\"jid\":\"" + id + "\",\"v\":0" + (notForTheDeadSet ? ",\"dead\":false}" : "}");
    }

    private static String id(String payload) {
        return payload.replaceFirst(".*\"jid\":\"(\\w+)\".*", "$1");
    }

    /** The same job with other bytes. */
    static byte[] edited(String payload) {
        int version = Integer.parseInt(payload.replaceFirst(".*\"v\":(\\d+).*", "$1"));
        return ScriptTestBed.bytes(payload.replaceFirst("\"v\":\\d+", "\"v\":" + (version + 1)));
    }

    /** A settlement took effect. */
    void account(Settlement settlement, String payload) {
        processed += settlement.processed();
        failed += settlement.failed();
        happened += settlement.effects().stream()
                .filter(effect -> effect.kind().equals("count"))
                .count();
        if (Set.of(Kind.DONE, Kind.DISCARDED, Kind.FAILED, Kind.SKIPPED).contains(settlement.kind())) {
            isGone(payload);
        }
    }

    /** Anything but a settlement had this number of effects. */
    void hadEffects(int count) {
        happened += count;
    }

    /** A job was done, deleted or discarded. */
    void isGone(String payload) {
        gone.add(id(payload));
    }

    /** Every job is in exactly one place, or nowhere if it is done; the books balance; executions are counted once. */
    void check() {
        SortedMap<String, Object> stored = bed.stored();
        Map<String, List<String>> places = new HashMap<>();
        AllPlacesFixture.places(stored).forEach((job, in) -> places.computeIfAbsent(id(job), one -> new ArrayList<>())
                .addAll(in));
        Set<String> expected = new HashSet<>(all);
        expected.removeAll(gone);
        assertThat(places.keySet()).isEqualTo(expected);
        assertThat(places.values()).allSatisfy(in -> assertThat(in).hasSize(1));
        assertThat(bed.books().conservationError()).isZero();
        assertThat(stored.getOrDefault("stat:processed", "0")).isEqualTo(Long.toString(processed));
        assertThat(stored.getOrDefault("stat:failed", "0")).isEqualTo(Long.toString(failed));
        assertThat(bed.happened().values().stream().mapToLong(Long::parseLong).sum())
                .isEqualTo(happened);
    }

    void checkThatNothingIsLeft() {
        assertThat(gone).isEqualTo(all);
    }
}
