package dev.jobs.assembly;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;

/** The same with the limits of applications. */
@LongTest
class MegabytePushCallSizesIT extends PushCallSizesIT {

    @Override
    CallBounds bounds() {
        return CallBounds.STANDARD;
    }
}
