#!/usr/bin/env node
// Starts the built command line; the server is never loaded from here.
import { existsSync } from 'node:fs';

const built = new URL('../../../dist/apps/cli/src/main.js', import.meta.url);
if (!existsSync(built)) {
  process.stderr.write('plimsoll: not built yet; run `npm run build` first\n');
  process.exit(2);
}
const { main } = await import(built.href);
await main(process.argv);
