/**
 * A small shop that does its slow work in jobs. Where to look:
 *
 * <ul>
 *   <li>{@code Checkout}: enqueueing by method reference;
 *   <li>{@code Mails}, {@code Payments}: jobs that are safe to run twice;
 *   <li>{@code FailedCharges}: a retry policy, a death handler and an event listener;
 *   <li>{@code ProductImports}: thousands of jobs at once;
 *   <li>{@code SalesReports}: a long job that stops with the application and continues later;
 *   <li>{@code RequestIds}: middleware;
 *   <li>{@code application.yml}: the settings and their reasons.
 * </ul>
 *
 * <p>The shop keeps its orders in the same Redis as its jobs, so that neither outlives the other. Your application has
 * a database.
 */
@NullMarked
package dev.jobs.sample;

import org.jspecify.annotations.NullMarked;
