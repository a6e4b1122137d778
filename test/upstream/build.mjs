#!/usr/bin/env node
// Builds upstream's own controllers as programs that read the decision contract, into the user's cache; skips what is there.
//   node build.mjs            build what is missing, print the program's path
// Exit codes: 0 built or already there; 1 a build failed; 3 Go is not installed.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withCacheLock } from '../control-plane/build/cache-lock.mjs';
import { cacheRoot } from '../control-plane/build/component-sets.mjs';
import { go, GoMissingError } from '../control-plane/build/go.mjs';

const EXIT = { built: 0, failed: 1, goMissing: 3 };
const SOURCE = fileURLToPath(new URL('./kubernetes/', import.meta.url));
const PACKAGE = 'podautoscaler';
/** The files of upstream's package that hold the controller; its tests stay behind. */
const UPSTREAM_FILES = ['horizontal.go', 'replica_calculator.go', 'rate_limiters.go'];

process.exitCode = await main();

async function main() {
  const target = join(dirname(cacheRoot()), 'upstream', `kubernetes-${digest()}`, 'upstream-hpa');
  try {
    if (!existsSync(target)) {
      const lock = join(dirname(dirname(target)), 'build.lock');
      await withCacheLock(lock, () => (existsSync(target) ? undefined : build(target)));
    }
    process.stdout.write(`${target}\n`);
    return EXIT.built;
  } catch (error) {
    process.stderr.write(`upstream: ${error.message}\n`);
    return error instanceof GoMissingError ? EXIT.goMissing : EXIT.failed;
  }
}

/**
 * Upstream's controller keeps what is compared here to itself, and reads the clock. So its files are copied, out of the
 * module that Go has verified, beside ours into one package; of their text only the two calls of the clock change.
 */
async function build(target) {
  const workspace = `${dirname(target)}.work-${process.pid}`;
  rmSync(workspace, { recursive: true, force: true });
  cpSync(SOURCE, workspace, { recursive: true });
  try {
    await go(['mod', 'download', 'k8s.io/kubernetes'], { cwd: workspace });
    const module = (
      await go(['list', '-m', '-f', '{{.Dir}}', 'k8s.io/kubernetes'], { cwd: workspace })
    ).trim();
    for (const file of UPSTREAM_FILES) {
      const text = readFileSync(join(module, 'pkg/controller', PACKAGE, file), 'utf8');
      writeFileSync(join(workspace, PACKAGE, file), withOurClock(text));
    }
    const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags=-s -w'];
    await go(['build', ...flags, '-o', join(workspace, 'program'), '.'], { cwd: workspace });
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(workspace, 'program'), target);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function withOurClock(text) {
  return text.replaceAll('time.Now()', 'clock()').replaceAll('metav1.Now()', 'metav1.NewTime(clock())');
}

/** A change of a module's version, or of a file of ours, is another program. */
function digest() {
  const hash = createHash('sha256').update([process.platform, process.arch, ...UPSTREAM_FILES].join('\0'));
  for (const name of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.(go|mod|sum)$/u.test(name)) hash.update(`${name}\0`).update(readFileSync(join(SOURCE, name)));
  return hash.digest('hex').slice(0, 8);
}
