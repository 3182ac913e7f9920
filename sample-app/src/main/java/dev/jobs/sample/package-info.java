/**
 * A small shop that does its slow work in jobs. Where to look:
 *
 * <ul>
 *   <li>{@code Checkout}: enqueueing by method reference;
 *   <li>{@code Mails}, {@code Payments}: jobs that are safe to run twice;
 *   <li>{@code FailedCharges}: a retry policy, a death handler and an event listener;
 *   <li>{@code Enrollments}: a batch of jobs, of which some fail for a reason of the business;
 *   <li>{@code ProductImports}: thousands of jobs from a stream that may break off and be continued;
 *   <li>{@code Exports}: results of jobs, and a callback that joins them;
 *   <li>{@code BatchController}: what became of each job, over HTTP and for the owner alone;
 *   <li>{@code static/batches.html}: a page that shows it live;
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
