package dev.jobs.client;

import dev.jobs.Payload;

/** A payload that passed the checks, with members that are needed again: the payload would decode them each time. */
record CheckedJob(Payload payload, String name, String queue, String jid) {}
