package dev.jobs.store;

import dev.jobs.redis.Bytes;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.store.JobClaims.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the answers of {@code claim.lua}. */
final class ClaimAnswers {

    /** Where the list of shut queues stands in the answer. */
    private static final int SHUT = 8;

    private ClaimAnswers() {}

    /** @param queues those that the script knows by their numbers */
    static Reply read(List<Object> answer, Request request, List<String> queues, SettlementOrder order) {
        List<Integer> moves = order.asGiven(Bytes.list(answer.get(2)));
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(4))) {
            broken.add(queues.get((int) Bytes.number(index) - 1));
        }
        return new Reply(
                Status.valueOf(Bytes.text(answer.get(0)).toUpperCase(Locale.ROOT)),
                (int) Bytes.number(answer.get(1)),
                moves,
                (int) Bytes.number(answer.get(3)),
                broken,
                claimed(answer, request, queues),
                shut(answer, queues));
    }

    /** The queues that a gate has shut; null if the answer doesn't say. */
    private static ClaimGate.@Nullable Shut shut(List<Object> answer, List<String> queues) {
        if (answer.size() <= SHUT) {
            return null;
        }
        List<String> full = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(SHUT))) {
            int number = (int) Bytes.number(index);
            (number > 0 ? full : broken).add(queues.get(Math.abs(number) - 1));
        }
        return new ClaimGate.Shut(full, broken);
    }

    private static List<Claimed> claimed(List<Object> answer, Request request, List<String> queues) {
        Map<Integer, Integer> recoveries = new HashMap<>();
        List<Object> recovered = Bytes.list(answer.get(6));
        for (int i = 0; i < recovered.size(); i += 2) {
            recoveries.put((int) Bytes.number(recovered.get(i)), (int) Bytes.number(recovered.get(i + 1)));
        }
        Map<Integer, String> places = new HashMap<>();
        List<Object> permitted = Bytes.list(answer.get(7));
        for (int i = 0; i < permitted.size(); i += 2) {
            places.put((int) Bytes.number(permitted.get(i)), Bytes.text(permitted.get(i + 1)));
        }
        String prefix = request.line() + ":" + request.number() + ":";
        List<Claimed> claimed = new ArrayList<>();
        List<Object> runs = Bytes.list(answer.get(5));
        int index = 0;
        for (int i = 0; i < runs.size(); i += 2) {
            String queue =
                    runs.get(i) instanceof Long number ? queues.get(number.intValue() - 1) : Bytes.text(runs.get(i));
            for (Object payload : Bytes.list(runs.get(i + 1))) {
                index++;
                if (payload != null) { // null in a repeated answer: settled since
                    String token = prefix + index + ":" + queue;
                    claimed.add(Claimed.of(
                            token, queue, (byte[]) payload, recoveries.getOrDefault(index, 0), places.get(index)));
                }
            }
        }
        return claimed;
    }
}
