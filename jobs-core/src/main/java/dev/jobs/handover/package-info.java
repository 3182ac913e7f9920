/**
 * Internal: how a worker learns of new jobs at once: claims that stand in Redis while it is idle, and the notifications
 * of pushes. Without any of it, workers poll. {@code ServerWatch} finds out whether it works.
 */
@NullMarked
package dev.jobs.handover;

import org.jspecify.annotations.NullMarked;
