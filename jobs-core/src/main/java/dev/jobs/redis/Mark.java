package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** The bytes by which a payload with a certain member is known: nearly all payloads lack them and aren't parsed. */
final class Mark {

    private final byte[] mark;

    Mark(String member) {
        mark = ('"' + member + "\":").getBytes(US_ASCII);
    }

    /** Whether stored bytes may be a payload that has the member. */
    boolean isIn(byte[] stored) {
        for (int i = stored.length - mark.length; i >= 0; i--) {
            if (stored[i] == '"' && isAt(i, stored)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAt(int at, byte[] stored) {
        for (int i = 1; i < mark.length; i++) {
            if (stored[at + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
