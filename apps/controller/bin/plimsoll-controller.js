#!/usr/bin/env node
// Starts the built controller as `npm start` does, without npm: nothing is printed that it does not print itself. Its
// young generation is small and its allocator has few arenas (ARCHITECTURE.md, "Memory"), which is for the runtime to know.
import {
  allocatorSettings,
  builtModule,
  handOver,
  isRecent,
  pinnedRuntime,
  runForUse,
} from '../../../scripts/pinned-runtime.js';

const flag = '--max-semi-space-size=8';

const module = builtModule('apps/controller/src/main.js');
if (isRecent() && process.execArgv.includes(flag)) {
  runForUse();
  const { main } = await import(module);
  await main(process.argv.slice(2));
} else {
  handOver(pinnedRuntime() ?? (isRecent() ? process.execPath : undefined), import.meta.url, {
    flags: [flag],
    environment: allocatorSettings,
    reloads: true,
  });
}
