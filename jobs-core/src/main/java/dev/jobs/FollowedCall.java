package dev.jobs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call of a client that middleware follows. What the middleware throws is logged and ignored. */
final class FollowedCall implements EnqueueCall {

    private final List<EnqueueCall> followers;

    private FollowedCall(List<EnqueueCall> followers) {
        this.followers = followers;
    }

    static EnqueueCall of(List<EnqueueMiddleware> middleware, @Nullable String batch) {
        List<EnqueueCall> followers = new ArrayList<>(middleware.size());
        for (EnqueueMiddleware each : middleware) {
            JobHooks.guarded("enqueue middleware", () -> {
                EnqueueCall follower = each.begin(batch);
                if (follower != NONE) {
                    followers.add(follower);
                }
            });
        }
        return followers.isEmpty() ? NONE : new FollowedCall(followers);
    }

    @Override
    public Payload add(Payload given) {
        Payload[] draft = {given};
        for (EnqueueCall each : followers) {
            JobHooks.guarded("enqueue middleware", () -> draft[0] = each.add(draft[0]));
        }
        return draft[0];
    }

    @Override
    public void end(@Nullable Throwable failure) {
        for (EnqueueCall each : followers) {
            JobHooks.guarded("enqueue middleware", () -> each.end(failure));
        }
    }
}
