package dev.jobs.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jobs.Internal;

/**
 * The bytes by which a payload with a certain member, or with a certain text, is known: nearly all payloads lack them
 * and aren't parsed. Immutable.
 */
@Internal
public final class PayloadMark {

    private final byte[] mark;

    private PayloadMark(String mark) {
        this.mark = mark.getBytes(US_ASCII);
    }

    /** The mark of payloads with a member of that name. */
    public static PayloadMark ofMember(String name) {
        return new PayloadMark('"' + name + "\":");
    }

    /**
     * The mark of payloads in which a text is a value.
     *
     * @param text as every JSON writer writes it
     */
    public static PayloadMark ofText(String text) {
        return new PayloadMark('"' + text + '"');
    }

    /** Whether stored bytes may be such a payload. */
    public boolean isIn(byte[] stored) {
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
