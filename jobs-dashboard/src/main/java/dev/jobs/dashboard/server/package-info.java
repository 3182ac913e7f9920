/** Decides how to answer a request: with a page, a file, a call or a stream. */
@NullMarked
package dev.jobs.dashboard.server;

import org.jspecify.annotations.NullMarked;
