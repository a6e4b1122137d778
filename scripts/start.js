// `npm start`: builds what is missing, then runs the controller with the arguments given. npm has put the pinned runtime
// first on the path; without npm an older one hands over to it.
import { build } from './build.js';
import { allocatorSettings, handOver, isRecent, pinnedRuntime, runForUse } from './pinned-runtime.js';

if (isRecent()) {
  await start();
} else {
  handOver(pinnedRuntime(), import.meta.url, {
    flags: ['--max-semi-space-size=8'],
    environment: allocatorSettings,
    reloads: true,
  });
}

async function start() {
  // In the same process, which npm and terminals know; what is set already stays. A channel to a parent would be lost.
  const isSet = process.env.MALLOC_ARENA_MAX !== undefined;
  if (process.platform === 'linux' && !isSet && process.channel === undefined) {
    const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    process.execve(process.execPath, args, { ...allocatorSettings, ...process.env });
  }

  // On standard error, since what is asked for (`--help`) may be piped.
  await build(() => console.error('building what is new in the sources: up to a minute the first time'));
  runForUse();
  const { main } = await import('../dist/apps/controller/src/main.js');
  await main(process.argv.slice(2));
}
