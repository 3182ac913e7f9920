package dev.jobs.test;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Reads the properties of {@link JobsTest}, for which Boot 4 has a class of its own. */
final class JobsTestContextBootstrapper extends SpringBootTestContextBootstrapper {

    @Override
    protected String @Nullable [] getProperties(Class<?> testClass) {
        MergedAnnotation<JobsTest> annotation = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
                .withEnclosingClasses(TestContextAnnotationUtils::searchEnclosingClass)
                .from(testClass)
                .get(JobsTest.class);
        return annotation.isPresent() ? annotation.getStringArray("properties") : null;
    }
}
