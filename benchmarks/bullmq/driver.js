// BullMQ as a driver: reads commands, one per line, and answers each with one line of JSON, like the drivers in Java.
// The argument is the address of Redis. Its packages come from `npm install --prefix benchmarks/bullmq`.
// Finished jobs are removed, as its guide recommends for production; everything else is left at its default.
const fs = require('fs');
const readline = require('readline');

const answer = fields => process.stdout.write(JSON.stringify(fields) + '\n');

let bullmq;
let IORedis;
try {
  bullmq = require('bullmq');
  IORedis = require('ioredis').Redis;
} catch (e) {
  answer({ unsupported: `needs bullmq: npm install --prefix benchmarks/bullmq (${e.code})` });
  process.exit();
}

const { FlowProducer, Job, Queue, Worker } = bullmq;
const address = new URL(process.argv[2]);
const connection = { host: address.hostname, port: Number(address.port || 6379), maxRetriesPerRequest: null };
const redis = new IORedis(connection);

const NOT_TIMED = -1;
const FIRST_SAMPLES = 100;
const PATIENCE_SECONDS = 120;
const REMOVE = { removeOnComplete: true };

const nanos = () => Number(process.hrtime.bigint());
const cpuNanos = () => { const { user, system } = process.cpuUsage(); return (user + system) * 1000; };
const pause = millis => new Promise(resolve => setTimeout(resolve, millis));
const range = count => Array.from({ length: count }, (_, i) => i);

// Data of a job whose JSON, as an array, has this size.
function data(bytes, number = NOT_TIMED) {
  const order = { customer: 'Bob', total: 12.5, urgent: true };
  const length = Math.max(0, bytes - JSON.stringify(['', NOT_TIMED, order]).length);
  return { text: 'the quick brown fox jumps over the lazy dog '.repeat(length / 44 + 1).slice(0, length), number, order };
}

// Counts the jobs that ran, and records their times.
class Tally {
  constructor(expected, millis = 0) {
    Object.assign(this, { expected, millis, begun: 0, done: 0, entered: new Map() });
    this.all = new Promise(resolve => { this.finished = resolve; });
  }

  async ran(number) {
    if (number !== NOT_TIMED && !this.entered.has(number)) {
      this.entered.set(number, nanos());
    }
    if (++this.begun === 1) {
      this.begunAt = nanos();
      this.begunCpu = cpuNanos();
    }
    if (this.millis > 0) {
      await pause(this.millis);
    }
    if (++this.done === this.expected) {
      this.endedAt = nanos();
      this.endedCpu = cpuNanos();
      this.finished();
    }
  }

  async await() {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`only ${this.done} jobs were run`)), PATIENCE_SECONDS * 1000);
    });
    await Promise.race([this.all, late]);
    clearTimeout(timer);
  }

  took() {
    return this.endedAt - this.begunAt;
  }
}

async function counters() {
  const figures = async (section, pattern) => {
    const found = [...(await redis.info(section)).matchAll(pattern)];
    return found.map(each => [each[1], Number(each[2])]);
  };
  const sum = (all, wanted) => all.reduce((total, [name, value]) => wanted(name) ? total + value : total, 0);
  const calls = await figures('commandstats', /^cmdstat_([^:]*):calls=(\d+)/gm);
  return {
    redis_script_calls: sum(calls, name => /eval|fcall/.test(name)),
    redis_commands: sum(calls, () => true),
    redis_reads: sum(await figures('stats', /^(total_reads_processed):(\d+)/gm), () => true),
    redis_cpu_nanos: Math.round(sum(await figures('cpu', /^(used_cpu_sys|used_cpu_user):([\d.]+)/gm), () => true) * 1e9)
  };
}

// Measures what runs or enqueues jobs.
async function measured(action) {
  const before = await counters();
  const result = await action();
  const after = await counters();
  Object.keys(after).forEach(name => { result[name] = after[name] - before[name]; });
  return result;
}

let queue;

async function withWorkers(concurrency, tally, action) {
  const worker = new Worker('default', job => tally.ran(job.data.number), { connection, concurrency });
  worker.on('error', e => console.error(e));
  await worker.waitUntilReady();
  try {
    return await action();
  } finally {
    await worker.close();
  }
}

async function enqueueInBulk(jobs, same) {
  for (let left = jobs; left > 0; left -= 1000) {
    await queue.addBulk(range(Math.min(left, 1000)).map(() => ({ name: 'run', data: same, opts: REMOVE })));
  }
}

async function atOnce(count, jobs, action) {
  await Promise.all(range(count).map(async i => {
    for (let left = Math.floor(jobs / count) + (i < jobs % count ? 1 : 0); left > 0; left--) {
      await action();
    }
  }));
}

async function workOff(jobs, concurrency, millis, bytes) {
  await enqueueInBulk(jobs, data(bytes));
  const tally = new Tally(jobs, millis);
  return measured(async () => {
    await withWorkers(concurrency, tally, () => tally.await());
    const cpu = tally.endedCpu - tally.begunCpu;
    return { jobs, concurrency, ran: tally.done, nanos: tally.took(), cpu_nanos: cpu };
  });
}

// Only so many jobs of the queue run at once, over all workers.
async function workOffLimited(jobs, concurrency, permits, bytes) {
  await queue.setGlobalConcurrency(permits);
  try {
    return { ...await workOff(jobs, concurrency, 0, bytes), permits };
  } finally {
    await queue.removeGlobalConcurrency();
  }
}

async function enqueued(jobs, action) {
  return measured(async () => {
    const begin = nanos();
    await action();
    return { jobs, nanos: nanos() - begin };
  });
}

function quantiles(waits) {
  const sorted = waits.sort((a, b) => a - b);
  const at = share => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { samples: sorted.length, p50_nanos: at(0.5), p99_nanos: at(0.99), max_nanos: sorted[sorted.length - 1] };
}

// Commands by name and number of words. The last number of those that measure is the size of the jobs' arguments.
const commands = {
  'drain/3': (jobs, concurrency, bytes) => workOff(jobs, concurrency, 0, bytes),

  'drain-limited/4': (jobs, concurrency, permits, bytes) => workOffLimited(jobs, concurrency, permits, bytes),

  'work/4': async (jobs, concurrency, millis, bytes) => {
    const bare = new Tally(jobs, millis);
    await atOnce(concurrency, jobs, () => bare.ran(NOT_TIMED));
    return { ...await workOff(jobs, concurrency, millis, bytes), millis, bare_nanos: bare.took() };
  },

  'enqueue-single/3': async (jobs, threads, bytes) => {
    const same = data(bytes);
    return { ...await enqueued(jobs, () => atOnce(threads, jobs, () => queue.add('run', same, REMOVE))), threads };
  },

  // Of jobs with the same key one is stored: deduplication in simple mode, until the job has ended.
  'enqueue-unique/3': async (jobs, keys, bytes) => {
    const same = data(bytes);
    let i = 0;
    const one = () => queue.add('run', same, { ...REMOVE, deduplication: { id: `key:${i++ % keys}` } });
    return { ...await enqueued(jobs, () => atOnce(1, jobs, one)), keys };
  },

  'enqueue-bulk/2': (jobs, bytes) => enqueued(jobs, () => enqueueInBulk(jobs, data(bytes))),

  // What a fresh process does in its first seconds: it starts workers and enqueues in bulk whenever few jobs wait.
  'cold/3': async (seconds, concurrency, bytes) => {
    const begin = nanos();
    const tally = new Tally(-1);
    let sent = 0;
    const until = async end => {
      while (nanos() < begin + end * 1e9) {
        if (sent - tally.done < 5000) {
          await enqueueInBulk(1000, data(bytes));
          sent += 1000;
        } else {
          await pause(1);
        }
      }
      return tally.done;
    };
    return withWorkers(concurrency, tally, async () => {
      const first = await until(1);
      const jobs = await until(seconds);
      return { jobs, nanos: nanos() - begin, first_second: first };
    });
  },

  'latency/3': async (samples, concurrency, bytes) => {
    const all = FIRST_SAMPLES + samples;
    const tally = new Tally(all);
    const called = [];
    await withWorkers(concurrency, tally, async () => {
      for (let id = 0; id < all; id++) {
        await pause(5 + 5 * Math.random());
        called[id] = nanos();
        await queue.add('run', data(bytes, id), REMOVE);
      }
      await tally.await();
    });
    const waits = range(samples).map(i => tally.entered.get(FIRST_SAMPLES + i) - called[FIRST_SAMPLES + i]);
    return { ...quantiles(waits), concurrency };
  },

  'due/3': async (jobs, concurrency, bytes) => {
    const tally = new Tally(jobs);
    return withWorkers(concurrency, tally, async () => {
      const ahead = 3000 + jobs / 5;
      const at = Date.now() + ahead;
      const dueAt = nanos() + ahead * 1e6;
      await queue.addBulk(range(jobs).map(id => (
        { name: 'run', data: data(bytes, id), opts: { ...REMOVE, delay: at - Date.now() } })));
      if (nanos() > dueAt) {
        throw new Error(`it took too long to schedule ${jobs} jobs`);
      }
      await tally.await();
      const first = Math.min(...tally.entered.values());
      return { jobs, concurrency, ran: tally.done, first_nanos: first - dueAt, nanos: tally.endedAt - dueAt };
    });
  },

  'lateness/3': async (samples, concurrency, bytes) => {
    const tally = new Tally(samples);
    const dueAt = [];
    await withWorkers(concurrency, tally, async () => {
      const begun = Date.now();
      const begunAt = nanos();
      let ahead = 2000;
      for (let id = 0; id < samples; id++) {
        dueAt[id] = begunAt + ahead * 1e6;
        await queue.add('run', data(bytes, id), { ...REMOVE, delay: Math.round(begun + ahead - Date.now()) });
        ahead += 61 + 150 * Math.random();
      }
      await tally.await();
    });
    return { ...quantiles([...tally.entered].map(([id, at]) => at - dueAt[id])), concurrency };
  },

  // A parent whose children record their ends, as the parent does.
  'flow/1': async jobs => {
    const children = range(jobs).map(number => ({ name: 'run', queueName: 'children', data: { number } }));
    const flow = new FlowProducer({ connection });
    const tree = await flow.add({ name: 'callback', queueName: 'parents', data: {}, children });
    await flow.close();
    return { id: tree.job.id, jobs };
  },

  'flow-state/1': async id => {
    const parents = new Queue('parents', { connection });
    const job = await Job.fromId(parents, id);
    const state = await job.getState();
    await parents.close();
    return { finished: state === 'completed' ? 1 : 0 };
  },

  // Serves jobs of 5 ms, ten at once, and the parents.
  'work/1': async file => {
    const ends = fs.openSync(file, 'a');
    const children = new Worker('children', async job => {
      await pause(5);
      fs.writeSync(ends, job.data.number + '\n');
    }, { connection, concurrency: 10 });
    const parents = new Worker('parents', async () => { fs.writeSync(ends, 'callback\n'); }, { connection });
    for (const worker of [children, parents]) {
      worker.on('error', e => console.error(e));
    }
    await Promise.all([children.waitUntilReady(), parents.waitUntilReady()]);
    return {};
  }
};

async function perform(line) {
  const [name, ...words] = line.trim().split(/\s+/);
  const command = commands[`${name}/${words.length}`];
  if (!command) {
    throw new Error(`unknown command: ${line}`);
  }
  if (words.length > 1) { // the commands of a flow share their data
    await redis.flushall();
    queue = queue || new Queue('default', { connection });
    await queue.waitUntilReady();
  }
  return command(...words.map(word => /^\d+$/.test(word) && name !== 'flow-state' ? Number(word) : word));
}

const version = require('bullmq/package.json').version;
answer({ pid: process.pid, driver: `BullMQ ${version}, Node.js ${process.version}, one process, finished jobs removed` });
(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      answer(await perform(line));
    } catch (e) {
      console.error(e);
      answer({ error: String(e) });
    }
  }
  process.exit();
})();
