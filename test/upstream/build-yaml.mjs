#!/usr/bin/env node
// Builds kubectl's reader of files as a program, into the user's cache: seconds. Skips what is there.
//   node build-yaml.mjs       build what is missing, print the program's path
// Exit codes: 0 built or already there; 1 the build failed; 3 Go is not installed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from '../control-plane/build/component-sets.mjs';
import { go, GoMissingError } from '../control-plane/build/go.mjs';

const EXIT = { built: 0, failed: 1, goMissing: 3 };
const SOURCE = fileURLToPath(new URL('./yaml/', import.meta.url));

process.exitCode = await main();

async function main() {
  const target = join(dirname(cacheRoot()), 'upstream', `yaml-${digest()}`, 'upstream-yaml');
  try {
    if (!existsSync(target)) await build(target);
    process.stdout.write(`${target}\n`);
    return EXIT.built;
  } catch (error) {
    process.stderr.write(`upstream: ${error.message}\n`);
    return error instanceof GoMissingError ? EXIT.goMissing : EXIT.failed;
  }
}

async function build(target) {
  const unfinished = `${target}.${process.pid}`;
  mkdirSync(dirname(target), { recursive: true });
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags=-s -w'];
  await go(['build', ...flags, '-o', unfinished, '.'], { cwd: SOURCE });
  renameSync(unfinished, target);
}

/** A change of a module's version, or of the program, is another program. */
function digest() {
  const hash = createHash('sha256').update(`${process.platform}\0${process.arch}`);
  for (const name of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(SOURCE, name)));
  return hash.digest('hex').slice(0, 8);
}
