package dev.jobs.limits;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;

/** The same with the limits of applications. */
@LongTest
class MegabyteLimitCallSizesIT extends LimitCallSizesIT {

    @Override
    CallBounds bounds() {
        return CallBounds.STANDARD;
    }
}
