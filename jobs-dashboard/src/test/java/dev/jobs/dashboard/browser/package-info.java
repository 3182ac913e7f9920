/** The pages in a real browser, on real data. */
@NullMarked
package dev.jobs.dashboard.browser;

import org.jspecify.annotations.NullMarked;
