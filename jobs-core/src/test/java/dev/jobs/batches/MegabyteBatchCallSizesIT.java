package dev.jobs.batches;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;

/** The same with the limits of applications. */
@LongTest
class MegabyteBatchCallSizesIT extends BatchCallSizesIT {

    @Override
    CallBounds bounds() {
        return CallBounds.STANDARD;
    }
}
