import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [workFolder] = process.argv.slice(2);
const shim = pathToFileURL(join(import.meta.dirname, 'jest-globals.js')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: shim, shortCircuit: true } : next(specifier, context),
});

const space = (globalThis.__stryker__ = {});
/** The activation of a mutant within a loop that never ends is counted, too. */
const hitLimit = 5_000_000;

const { tests } = await import(shim);
const suites = readdirSync(join(workFolder, 'libs/decision/src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.spec.ts') && !/^(?:input|decision-schemas)/.test(file))
  .map((file) => join('libs/decision/src', file));
let isStatic = process.env.PLIMSOLL_MUTANT !== undefined;

async function loadSuites() {
  for (const suite of [
    ...suites,
    'test/conformance/decide.spec.ts',
    'test/conformance/model/interventions.spec.ts',
    'test/conformance/model/watermark-model.spec.ts',
  ])
    await import(pathToFileURL(join(workFolder, suite)).href);
}

let covering;

/** Runs all tests once to see which mutants each of them reaches, and how long it takes. */
async function prepare() {
  await loadSuites();
  covering = new Map();
  const timed = [];
  for (const [index, test] of tests.entries()) {
    space.currentTestId = String(index);
    const start = performance.now();
    await test.run();
    timed.push({ test, index, took: performance.now() - start });
  }
  space.currentTestId = undefined;
  timed.sort((a, b) => a.took - b.took);
  for (const { test, index } of timed) {
    for (const id of Object.keys(space.mutantCoverage?.perTest[index] ?? {}))
      covering.set(id, [...(covering.get(id) ?? []), test]);
  }
}

process.on('message', async ({ id }) => {
  if (space.mutantCoverage?.static[id] !== undefined && !covering.has(id)) {
    process.send(await runStatic(id));
    return;
  }
  space.activeMutant = id;
  process.send(await firstFailure(covering.get(id) ?? []));
  space.activeMutant = undefined;
});

async function firstFailure(list) {
  for (const test of list) {
    space.hitCount = 0;
    space.hitLimit = hitLimit;
    try {
      await test.run();
    } catch {
      return { status: 'Killed', by: test.name };
    }
  }
  return { status: 'Survived' };
}

/** Code that runs at import is loaded again, with the mutant active from the start. */
async function runStatic(id) {
  const { spawnSync } = await import('node:child_process');
  const run = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, workFolder], {
    cwd: workFolder,
    env: { ...process.env, PLIMSOLL_MUTANT: id },
    timeout: 60_000,
  });
  return { status: run.status === 0 ? 'Survived' : 'Killed', by: 'at import' };
}

if (isStatic) {
  space.activeMutant = process.env.PLIMSOLL_MUTANT;
  await loadSuites();
  const result = await firstFailure(tests);
  process.exit(result.status === 'Survived' ? 0 : 1);
} else {
  await prepare();
  process.send({ status: 'Ready' });
}
