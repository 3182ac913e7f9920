package dev.jobs.benchmarks.harness;

import java.util.concurrent.ThreadFactory;

/** This library with virtual threads for the jobs, if the JVM has them. */
final class VirtualThreadsDriver extends JobsDriver {

    VirtualThreadsDriver(String uri) {
        super(uri);
    }

    @Override
    public String description() {
        return "this library, virtual threads";
    }

    /** By reflection, since the build is for Java 17. */
    @Override
    ThreadFactory threads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException("virtual threads need Java 21, this is " + Runtime.version(), e);
        }
    }
}
