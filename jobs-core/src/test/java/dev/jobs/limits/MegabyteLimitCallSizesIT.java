package dev.jobs.limits;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallLimits;

/** The same with the limits of applications. */
@LongTest
class MegabyteLimitCallSizesIT extends LimitCallSizesIT {

    @Override
    CallLimits limits() {
        return CallLimits.STANDARD;
    }
}
