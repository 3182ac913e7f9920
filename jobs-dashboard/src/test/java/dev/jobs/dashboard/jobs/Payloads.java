package dev.jobs.dashboard.jobs;

/** Jobs as Redis holds them. */
public final class Payloads {

    private Payloads() {}

    public static String job(String jid, String name, String queue) {
        return "{\"class\":\"" + name + "\",\"args\":[\"x\",{\"a\":1.50}],\"jid\":\"" + jid + "\",\"queue\":\"" + queue
                + "\",\"retry\":true,\"created_at\":1795237556186,\"enqueued_at\":1795237556186}";
    }

    public static String failed(String jid, String name, String cause) {
        return "{\"class\":\"" + name + "\",\"args\":[1],\"jid\":\"" + jid
                + "\",\"queue\":\"low\",\"retry\":true,\"created_at\":1795237556186,\"enqueued_at\":1795237556186,"
                + "\"failed_at\":1795237556186,\"retry_count\":0,\"error_class\":\"" + cause
                + "\",\"error_message\":\"it broke\"}";
    }
}
