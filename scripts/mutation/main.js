// The mutation score of libs/decision: `npm run mutation [-- --sample=300] [--file=rules/delay] [--seed=1]`.
// Stryker's instrumenter puts every mutant behind a switch; each worker loads the suites once and switches.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { instrument, root, workFolder } from './instrument.js';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    file: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(Math.max(1, Math.min(4, availableParallelism()))) },
  },
});
/** Percent of the mutants that a suite must notice; texts are not mutated. */
const wantedScore = 92;

const mutants = pick(await instrument(values.file));
const results = await runAll(mutants);
rmSync(workFolder, { recursive: true, force: true });
report(results);

function pick(all) {
  if (values.sample === undefined) return all;
  let state = Number(values.seed);
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return all
    .map((mutant) => ({ mutant, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant);
}

async function runAll(list) {
  const queue = [...list];
  const done = [];
  await Promise.all(Array.from({ length: Number(values.workers) }, () => work(queue, done)));
  return done;
}

/** One worker after the other: one that dies (a mutant that never ends) has killed its mutant and is replaced. */
async function work(queue, done) {
  while (queue.length > 0) await oneWorker(queue, done);
}

function oneWorker(queue, done) {
  return new Promise((resolve) => {
    const worker = fork(join(import.meta.dirname, 'worker.js'), [workFolder], {
      cwd: workFolder,
      execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
    });
    let current;
    let timer;
    let isReady = false;
    const next = () => {
      clearTimeout(timer);
      current = queue.shift();
      if (current === undefined) return worker.kill();
      // A suite takes seconds; a mutant of a minute does not end.
      timer = setTimeout(() => worker.kill('SIGKILL'), 60_000);
      return worker.send({ id: current.id });
    };
    worker.on('message', (message) => {
      isReady = true;
      if (message.status !== 'Ready') {
        done.push({ ...current, ...message });
        if (done.length % 200 === 0) process.stderr.write(`${done.length} mutants\n`);
        current = undefined;
      }
      return next();
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      if (!isReady) throw new Error('a worker ended before it was ready');
      if (current !== undefined) done.push({ ...current, status: 'Killed', by: 'it did not end' });
      resolve();
    });
  });
}

function report(list) {
  const alive = list.filter(({ status }) => status === 'Survived');
  const score = (100 * (list.length - alive.length)) / list.length;
  for (const { file, line, code, replacement, mutator } of alive.sort((a, b) =>
    a.file + a.line < b.file + b.line ? -1 : 1,
  ))
    console.log(`${file}:${line} ${mutator}: ${code}  →  ${replacement}`);
  console.log(`${list.length} mutants, ${alive.length} alive: ${score.toFixed(1)} % noticed (${root})`);
  process.exitCode = score >= wantedScore || values.file !== '' ? 0 : 1;
}
