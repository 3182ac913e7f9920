package dev.jobs.spring.autoconfigure.beans;

import dev.jobs.Job;
import java.util.ArrayList;
import java.util.List;

/** A class to inherit from in another package, which doesn't see the method. */
public class PackagePrivateJob {

    private final List<String> calls = new ArrayList<>();

    @Job
    void run() {
        calls.add("run");
    }
}
