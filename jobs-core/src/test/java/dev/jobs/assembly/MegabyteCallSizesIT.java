package dev.jobs.assembly;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallLimits;

/** The same with the limits of applications. */
@LongTest
class MegabyteCallSizesIT extends CallSizesIT {

    @Override
    CallLimits limits() {
        return CallLimits.STANDARD;
    }
}
