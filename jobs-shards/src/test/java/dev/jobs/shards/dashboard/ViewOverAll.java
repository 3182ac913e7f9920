package dev.jobs.shards.dashboard;

import java.util.Map;

/** What tests in a browser need to know of the view over all shards. */
public final class ViewOverAll {

    private ViewOverAll() {}

    public static Map<String, String> pages() {
        return ShardsViewTests.view(ShardsViewTests.shards("home")).pages();
    }
}
