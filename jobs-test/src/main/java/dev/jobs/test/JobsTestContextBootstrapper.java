package dev.jobs.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Reads the properties of {@link JobsTest}. */
final class JobsTestContextBootstrapper extends TestSliceTestContextBootstrapper<JobsTest> {}
