import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const buildProgram = fileURLToPath(new URL('./build.mjs', import.meta.url));

/** Stands in for Go: notes what it is asked to build, takes a moment, and writes a "binary". */
const fakeGo = `#!/bin/sh
case "$1" in
  list) echo "$FAKE_MODULE"; exit 0 ;;
  build) ;;
  *) exit 0 ;;
esac
while [ "$1" != "-o" ]; do shift; done
echo "$3" >> "$FAKE_LOG"
if [ "$3" = "$FAKE_FAILS_ON" ]; then echo half > "$2"; exit 1; fi
echo binary > "$2"
`;

const stages = [
  'stage/node/fast/node-initialize',
  'stage/node/heartbeat-with-lease/node-heartbeat-with-lease',
  'stage/pod/fast/pod-ready',
  'stage/pod/fast/pod-complete',
  'stage/pod/fast/pod-delete',
  'metrics/resource/metrics-resource',
  'metrics/usage/usage-from-annotation',
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-build-'));
  for (const name of ['bin', 'no-bin', 'cache', 'assets']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin', 'go'), fakeGo);
  chmodSync(join(folder, 'bin', 'go'), 0o755);
  for (const stage of stages) {
    const path = join(folder, 'module', 'kustomize', `${stage}.yaml`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `kind: ${stage}\n`);
  }
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('build.mjs', () => {
  it('builds what is missing once, and nothing the second time', async () => {
    expect(await build()).toMatchObject({ code: 0 });
    expect(packagesBuilt()).toHaveLength(7);

    expect(await build()).toMatchObject({ code: 0 });
    expect(packagesBuilt()).toHaveLength(7);
    expect(Object.values(await locate())).not.toContain(null);
  });

  it('does the work once when two run at the same time', async () => {
    const [one, other] = await Promise.all([build(), build()]);

    expect([one.code, other.code]).toEqual([0, 0]);
    expect(packagesBuilt()).toHaveLength(7);
  });

  it('takes over the lock of a build that died', async () => {
    const lock = join(folder, 'cache', 'plimsoll', 'control-plane', 'build.lock');
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, '1\n');
    utimesSync(lock, new Date(0), new Date(0));

    expect(await build()).toMatchObject({ code: 0 });
  });

  it('leaves no half-built file under the real name, and goes on from there', async () => {
    const failed = await build({ FAKE_FAILS_ON: 'k8s.io/kubernetes/cmd/kubectl' });
    expect(failed.code).toBe(1);
    expect(await locate()).toMatchObject({ 'kube-apiserver': expect.any(String), kubectl: null });

    expect(await build()).toMatchObject({ code: 0 });
    const built = await locate();
    expect(readFileSync(built['kubectl'] ?? '', 'utf8')).toBe('binary\n');
    expect(readdirSync(dirname(built['kubectl'] ?? '')).filter((name) => name.includes('partial'))).toEqual(
      [],
    );
  });

  it('says what is missing where Go is not installed, and exits with 3', async () => {
    const { code, stderr } = await build({ PATH: join(folder, 'no-bin') });

    expect(code).toBe(3);
    expect(stderr).toContain('Go is not installed');
    expect(stderr).toContain('etcd, kube-apiserver, kubectl, kube-controller-manager');
  });

  it('uses what is in KUBEBUILDER_ASSETS', async () => {
    const assets = join(folder, 'assets');
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) writeFileSync(join(assets, name), '');

    expect(await build({ KUBEBUILDER_ASSETS: assets })).toMatchObject({ code: 0 });
    expect(packagesBuilt()).toHaveLength(4);
    expect(await locate({ KUBEBUILDER_ASSETS: assets })).toMatchObject({ etcd: join(assets, 'etcd') });
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function build(environment: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<Ended> {
  const env = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    XDG_CACHE_HOME: join(folder, 'cache'),
    FAKE_LOG: join(folder, 'log'),
    FAKE_MODULE: join(folder, 'module'),
    ...environment,
  };
  const child = spawn(process.execPath, [buildProgram, ...args], { env });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...printed })));
}

async function locate(environment: NodeJS.ProcessEnv = {}): Promise<Record<string, string | null>> {
  const { stdout } = await build(environment, ['--locate']);
  return JSON.parse(stdout) as Record<string, string | null>;
}

function packagesBuilt(): readonly string[] {
  return readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
}
