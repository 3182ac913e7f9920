package dev.jobs.batches;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallLimits;

/** The same with the limits of applications. */
@LongTest
class MegabyteBatchCallSizesIT extends BatchCallSizesIT {

    @Override
    CallLimits limits() {
        return CallLimits.STANDARD;
    }
}
