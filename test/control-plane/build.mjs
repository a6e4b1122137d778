#!/usr/bin/env node
// Builds the control plane of the tests from Go modules into the user's cache, and skips what is there.
//   node build.mjs            build what is missing
//   node build.mjs --locate   print the paths as JSON, build nothing
// Exit codes: 0 all is there; 1 a build failed; 2 wrong usage; 3 something is missing and Go is not installed.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listArtifacts } from './build/artifacts.mjs';
import { withCacheLock } from './build/cache-lock.mjs';
import { cacheRoot, loadComponentSets } from './build/component-sets.mjs';
import { go, GoMissingError } from './build/go.mjs';

const EXIT = { built: 0, failed: 1, usage: 2, goMissing: 3 };

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(EXIT.failed));
  if (args.length === 1 && args[0] === '--locate') return locate();
  if (args.length > 0) return fail(EXIT.usage, 'usage: node build.mjs [--locate]');
  if (missing().length === 0) return report();
  try {
    await go(['version'], { cwd: import.meta.dirname ?? process.cwd() });
    await withCacheLock(join(cacheRoot(), 'build.lock'), buildMissing, () =>
      say('another build is running, waiting for it'),
    );
    return report();
  } catch (error) {
    return error instanceof GoMissingError ? goMissing() : fail(EXIT.failed, `failed: ${error.message}`);
  }
}

function missing() {
  return listArtifacts(loadComponentSets()).filter((artifact) => !artifact.exists);
}

async function buildMissing() {
  const artifacts = missing();
  for (const [index, artifact] of artifacts.entries()) {
    const started = Date.now();
    say(`${index + 1}/${artifacts.length} ${artifact.name} (${artifact.set.name} ${artifact.set.version}) …`);
    await produce(artifact);
    say(
      `${index + 1}/${artifacts.length} ${artifact.name} done in ${Math.round((Date.now() - started) / 1000)} s`,
    );
  }
}

/** Writes under a temporary name and renames, so that an interrupted build never leaves half a file under the real one. */
async function produce(artifact) {
  const folder = dirname(artifact.path);
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `${artifact.name}.partial-${process.pid}`);
  for (const name of readdirSync(folder))
    if (name.startsWith(`${artifact.name}.partial-`)) rmSync(join(folder, name));
  await (artifact.kind === 'binary' ? compile(artifact, temporary) : collectYaml(artifact, temporary));
  renameSync(temporary, artifact.path);
}

function compile({ set, name }, output) {
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', set.ldflags];
  return go(['build', ...flags, '-o', output, set.binaries[name]], { cwd: set.source });
}

async function collectYaml({ set, name }, output) {
  const folder = (
    await go(['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', set.module], { cwd: set.source })
  ).trim();
  writeFileSync(
    output,
    set.yaml[name].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n---\n'),
  );
}

function locate() {
  const entries = listArtifacts(loadComponentSets()).map(({ name, path, exists }) => [
    name,
    exists ? path : null,
  ]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
  return EXIT.built;
}

function report() {
  for (const folder of new Set(listArtifacts(loadComponentSets()).map(({ path }) => dirname(path))))
    say(`ready: ${folder}`);
  return EXIT.built;
}

function goMissing() {
  const names = missing()
    .map(({ name }) => name)
    .join(', ');
  const versions = loadComponentSets()
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
  return fail(
    EXIT.goMissing,
    [
      'Go is not installed (no `go` on PATH), and these parts of the test control plane are not built yet:',
      `  ${names}`,
      `They are built from Go modules (${versions}).`,
      'Install Go 1.26 or later (https://go.dev/dl), or point KUBEBUILDER_ASSETS at a folder with etcd, kube-apiserver and kubectl',
      'for the suites that need no more than those. `npm test` needs none of this.',
    ].join('\n'),
  );
}

function fail(code, message) {
  process.stderr.write(`control-plane: ${message}\n`);
  return code;
}

function say(message) {
  process.stdout.write(`control-plane: ${message}\n`);
}
