#!/usr/bin/env node
// Starts the built command line on the runtime that the lockfile pins; the server is never loaded from here.
import {
  builtModule,
  endWithLauncher,
  handOver,
  isRecent,
  pinnedRuntime,
} from '../../../scripts/pinned-runtime.js';

const module = builtModule('apps/cli/src/main.js');
if (isRecent()) {
  endWithLauncher();
  const { main } = await import(module);
  await main(process.argv);
} else {
  handOver(pinnedRuntime(), import.meta.url);
}
