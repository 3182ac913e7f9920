// BullMQ as a driver: reads commands, one per line, and answers each with one line of JSON, like the drivers in Java.
// The argument is the address of Redis. Its packages come from `npm install --prefix benchmarks/bullmq`.
const fs = require('fs');
const readline = require('readline');

const answer = fields => process.stdout.write(JSON.stringify(fields) + '\n');

let bullmq;
try {
  bullmq = require('bullmq');
} catch (e) {
  answer({ unsupported: `needs bullmq: npm install --prefix benchmarks/bullmq (${e.code})` });
  process.exit();
}

const { FlowProducer, Job, Queue, Worker } = bullmq;
const address = new URL(process.argv[2]);
const connection = { host: address.hostname, port: Number(address.port || 6379) };

const commands = {
  // A parent whose children record their ends, as the parent does.
  flow: async jobs => {
    const children = [];
    for (let i = 0; i < Number(jobs); i++) {
      children.push({ name: 'run', queueName: 'children', data: { number: i } });
    }
    const flow = new FlowProducer({ connection });
    const tree = await flow.add({ name: 'callback', queueName: 'parents', data: {}, children });
    await flow.close();
    return { id: tree.job.id, jobs: Number(jobs) };
  },

  'flow-state': async id => {
    const parents = new Queue('parents', { connection });
    const job = await Job.fromId(parents, id);
    const state = await job.getState();
    await parents.close();
    return { finished: state === 'completed' ? 1 : 0 };
  },

  // Serves jobs of 5 ms, ten at once, and the parents.
  work: async file => {
    const ends = fs.openSync(file, 'a');
    const children = new Worker('children', async job => {
      await new Promise(resolve => setTimeout(resolve, 5));
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

answer({ pid: process.pid });
(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [name, ...words] = line.trim().split(/\s+/);
    try {
      answer(await commands[name](...words));
    } catch (e) {
      console.error(e);
      answer({ error: String(e) });
    }
  }
  process.exit();
})();
