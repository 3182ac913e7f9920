package dev.jobs.dashboard;

import dev.jobs.admin.Trash.Deleted;
import java.util.function.Consumer;

/** The progress of a deletion, which is its whole result if it fails. Confined to one thread. */
final class Deletion implements Consumer<Deleted> {

    private Deleted soFar = new Deleted(0, 0, 0);

    @Override
    public void accept(Deleted deleted) {
        soFar = deleted;
    }

    Deleted soFar() {
        return soFar;
    }
}
