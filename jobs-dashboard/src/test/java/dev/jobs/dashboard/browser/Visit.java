package dev.jobs.dashboard.browser;

import org.jspecify.annotations.Nullable;

/**
 * All pages of the dashboard, at addresses at which they show much, and the dialogs over them. What a test checks of
 * every page it checks of each of these; {@code VisitTests} compares them with the pages' script. Names in braces stand
 * for what {@link FullShop} has put there.
 */
enum Visit {
    OVERVIEW("", "days=30", ".table tbody tr"),
    BUSY("busy", "", "tbody tr"),
    QUEUES("queues", "sort=size", "tbody tr"),
    MANY_QUEUES("queues", "size=100", "tbody tr"),
    QUEUE("queue", "name=bulk", "tbody tr"),
    LONG_QUEUE("queue", "name={long}", "tbody tr"),
    ORDERED_QUEUE("queue", "name=tenants", "tbody tr"),
    SCHEDULED("scheduled", "", "tbody tr"),
    RETRIES("retries", "size=100", "tbody tr"),
    DEAD("dead", "", "tbody tr"),
    NOTHING_FOUND("dead", "queue=nowhere", ".empty"),
    WAITING_JOB("job", "place=queue&queue={long}&key={queued}", ".arguments"),
    FAILED_JOB("job", "place=retries&key={failed}", ".attempts"),
    DEAD_JOB("job", "place=dead&key={dead}", ".arguments"),
    RUNNING_JOB("job", "place=running&process={process}&thread=t1", ".tile"),
    PARKED_JOB("job", "place=parked&limit=erp&of=shop+17&key={parked}", ".waiting"),
    ENDED_JOB("job", "place=ended&jid={ended}", ".log"),
    FAILURES("failures", "", "tbody tr"),
    METRICS("metrics", "", "tbody tr"),
    METRIC("metric", "job=Orders.ship", ".chart svg .bar"),
    METRIC_OF_A_LONG_NAME("metric", "job={long}", ".tile"),
    METRIC_OF_A_QUEUE("metric", "queue=default", ".tile"),
    RECURRING("recurring", "", "tbody tr"),
    LIMITS("limits", "", "tbody tr"),
    LIMIT("limit", "name=erp", "tbody tr"),
    KEY_OF_A_LIMIT("limit", "name=erp&key=shop+17", "tbody .mono"),
    LONG_LIMIT("limit", "name={long}", ".tile"),
    TRASH("trash", "", "tbody tr"),
    BATCHES("batches", "", "tbody tr"),
    BATCH("batch", "id={batch}", ".cells canvas"),
    JOB_OF_A_BATCH("batch", "id={batch}&job=1", "dialog[open] .messages"),
    HISTORY("history", "", "tbody tr"),
    HISTORY_JOBS("history", "view=jobs", "tbody tr"),
    HISTORY_BATCH("history", "task={task}", "tbody tr"),
    HISTORY_JOB("history", "task={task}&jid={task}00000001", "dialog[open] .messages"),
    ENQUEUEING("queues", "", "tbody tr", "Enqueue a job", "dialog[open] input"),
    EDITING("job", "place=retries&key={failed}", ".waiting", "Edit and retry", "dialog[open] textarea"),
    ASKING("retries", "", "tbody tr", "Kill: all", "dialog[open] .danger"),
    RESCHEDULING("retries", "", "tbody tr", "Reschedule: all", "dialog[open] input"),
    RATING("limits", "", "tbody tr", "Set rate: erp", "dialog[open] input"),
    STACK("busy", "text=4711-", "tbody tr", "Stack: Orders.ship", "dialog[open] pre"),
    SAVING_A_VIEW("retries", "queue=mail", "tbody tr", "Save this view", "dialog[open] input");

    private final String page;
    private final String query;
    private final String landmark;
    private final @Nullable String button;
    private final @Nullable String dialog;

    Visit(String page, String query, String landmark) {
        this(page, query, landmark, null, null);
    }

    /** @param button the name of what opens a dialog, which has a landmark of its own */
    Visit(String page, String query, String landmark, @Nullable String button, @Nullable String dialog) {
        this.page = page;
        this.query = query;
        this.landmark = landmark;
        this.button = button;
        this.dialog = dialog;
    }

    String page() {
        return page;
    }

    String query() {
        return query;
    }

    /** What shows its data, before any button is pressed. */
    String landmark() {
        return landmark;
    }

    /** Whether a button opens it. */
    boolean isBehindAButton() {
        return button != null;
    }

    /** Opens it in the language of the browser, which is English, and waits until it shows its data. */
    void open(FullShop shop, Browser browser) {
        browser.open(shop.address(this));
        browser.see(landmark);
        browser.seeNo(".loading");
        if (button != null && dialog != null) {
            browser.press(button);
            browser.see(dialog);
        }
    }
}
