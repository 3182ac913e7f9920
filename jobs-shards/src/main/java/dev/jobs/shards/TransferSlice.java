package dev.jobs.shards;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Some jobs of a transfer, which go to the other shard together, under one number.
 *
 * @param number one more than that of the slice before
 * @param mark random, so that a slice that was taken a second time, after Redis had lost its last changes, is not taken
 *     for the first one
 * @param jobs those of a list are newest first
 */
record TransferSlice(long number, String mark, List<Entry> jobs) {

    /** Where jobs of a queue wait. */
    enum Place {
        /** In its list. */
        QUEUE,
        /** In the sorted set of an ordered queue. */
        ORDER,
        SCHEDULE,
        RETRY,
        DEAD;

        /** Its name in scripts. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Place of(String label) {
            return valueOf(label.toUpperCase(Locale.ROOT));
        }
    }

    /** @param score as Redis writes it; empty in a list */
    record Entry(Place place, String score, byte[] payload) {}

    TransferSlice {
        jobs = List.copyOf(jobs);
    }

    /** How it is named in Redis. */
    String name() {
        return number + ":" + mark;
    }

    /** @param entries as {@code transfer_take.lua} writes them */
    static TransferSlice parse(String name, List<Object> entries) {
        int colon = name.indexOf(':');
        List<Entry> jobs = new ArrayList<>(entries.size());
        for (Object entry : entries) {
            jobs.add(job((byte[]) entry));
        }
        return new TransferSlice(Long.parseLong(name.substring(0, colon)), name.substring(colon + 1), jobs);
    }

    private static Entry job(byte[] entry) {
        int end = 0;
        while (entry[end] != '\n') {
            end++;
        }
        String[] head = new String(entry, 0, end, ISO_8859_1).split(" ", 2);
        return new Entry(Place.of(head[0]), head[1], Arrays.copyOfRange(entry, end + 1, entry.length));
    }
}
