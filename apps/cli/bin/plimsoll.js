#!/usr/bin/env node
// Starts the built command line on the runtime that the lockfile pins; the server is never loaded from here.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The first release with everything that the sources use; older ones hand over to the pinned runtime. */
const oldestMajor = 24;

const built = new URL('../../../dist/apps/cli/src/main.js', import.meta.url);
if (!existsSync(built)) {
  process.stderr.write('plimsoll: not built yet; run `npm run build` first\n');
  process.exit(2);
}
if (Number(process.versions.node.split('.')[0]) >= oldestMajor) {
  const { main } = await import(built.href);
  await main(process.argv);
} else {
  handOver();
}

function handOver() {
  const runtime = pinnedRuntime();
  if (runtime === undefined) {
    process.stderr.write(`plimsoll: needs Node ${oldestMajor} or newer, or the packages of \`npm ci\`\n`);
    process.exit(2);
  }
  const { status, signal } = spawnSync(runtime, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(status ?? 2);
}

function pinnedRuntime() {
  const { resolve } = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      return resolve(`${name}/bin/node${platform === 'win' ? '.exe' : ''}`);
    } catch {
      // Not the package of this platform; the next may be.
    }
  }
  return undefined;
}
