import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('plimsoll-controller.js', import.meta.url));

it.each([
  { argument: '--help', unread: 'stdout', status: 0 },
  { argument: '--nonsense', unread: 'stderr', status: 2 },
] as const)('ends quietly where $unread has no reader: $argument', async ({ argument, unread, status }) => {
  const run = spawn(process.execPath, [program, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
  run[unread].destroy();
  const other = unread === 'stdout' ? run.stderr : run.stdout;
  const printed = other.setEncoding('utf8').toArray();
  expect(await once(run, 'close')).toEqual([status, null]);
  expect((await printed).join('')).toBe('');
});

it.each([
  { args: ['--help'], status: 0, stdout: /^Usage: /, stderr: /^$/ },
  {
    args: ['--config', '/nonexistent.yaml'],
    status: 2,
    stdout: /^$/,
    stderr: /^plimsoll: .nonexistent.yaml: no such file or folder/,
  },
  { args: ['--nonsense'], status: 2, stdout: /^$/, stderr: /^error: unknown option '--nonsense'/ },
])('prints nothing but what the controller prints: $args', ({ args, status, stdout, stderr }) => {
  const run = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  expect(run).toMatchObject({
    status,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
  });
});

const startScript = fileURLToPath(new URL('../../../scripts/start.js', import.meta.url));

it.each([
  { name: 'as the launcher has it', set: undefined, want: ['undefined', '2'] },
  { name: 'where it is set already, as it is', set: '4', want: ['4'] },
])('npm start sets the allocator in the process that npm knows: $name', ({ set, want }) => {
  const note = 'process.stderr.write(`${process.pid} ${process.env.MALLOC_ARENA_MAX}\\n`)';
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(note)}`,
    MALLOC_ARENA_MAX: set,
  };
  const run = spawnSync(process.execPath, [startScript, '--help'], { encoding: 'utf8', env });
  expect(run.stderr).toBe(want.map((value) => `${run.pid} ${value}\n`).join(''));
  expect(run).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /) });
});

it('npm start hands over to the pinned runtime where it is run by an older one without npm', () => {
  const older =
    'if (process.send === undefined) { Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } }); process.execve = undefined; }';
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}`,
  };
  const run = spawnSync(process.execPath, [startScript, '--help'], { encoding: 'utf8', env });
  expect(run).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' });
});

it('npm start says in one line that it builds, where it does, and nothing of it in what is asked for', () => {
  // Of types alone, so that nothing loads it while it is written anew.
  const output = fileURLToPath(new URL('../../../dist/apps/cli/src/server/question.js', import.meta.url));
  utimesSync(output, 0, 0);
  const run = spawnSync(process.execPath, [startScript, '--help'], { encoding: 'utf8' });
  expect(run.stderr).toBe('building what is new in the sources: up to a minute the first time\n');
  expect(run.stdout).toMatch(/^Usage: /);
});

const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
`;

/** What a busy machine makes any start say; there, also the cluster's refusal comes before the reason. */
const saidWhereBusy = ['the main thread was held', '"code":"NotConnected"'];

describe('a start that fails', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-start-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function start(settings: string): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const text = `mode: Observe
namespaces: [shop]
sources: [{name: policies, url: "https://git.example.com/policies.git"}]
${settings}
`;
    writeFileSync(join(folder, 'plimsoll.yaml'), text);
    const env = { ...process.env, KUBERNETES_SERVICE_HOST: undefined };
    return spawnSync(process.execPath, [program, '--config', 'plimsoll.yaml'], {
      cwd: folder,
      encoding: 'utf8',
      env,
    });
  }

  it.each([
    { name: 'no kubeconfig, outside a pod', settings: 'cluster: {name: prod}', want: /cluster\.kubeconfig/ },
    {
      name: 'a password file that is not there',
      settings:
        'cluster: {name: prod, kubeconfig: kubeconfig}\nlisten: {port: 0, metricsPort: 0}\ndatabase: {url: "postgres://plimsoll@127.0.0.1:1/plimsoll", passwordFile: none}',
      want: /^database\.passwordFile: no such file or folder: /,
    },
    {
      name: 'a data folder that cannot be made',
      settings: 'cluster: {name: prod, kubeconfig: kubeconfig}\ndataFolder: kubeconfig/data',
      want: /^a part of the path is no folder: .*kubeconfig.data/,
      setting: 'dataFolder',
    },
    {
      name: 'a certificate that is none',
      settings: 'cluster: {name: prod}\nlisten: {tls: {certFile: plimsoll.yaml, keyFile: plimsoll.yaml}}',
      want: /^listen\.tls\.certFile plimsoll\.yaml and listen\.tls\.keyFile plimsoll\.yaml: .*no start line/,
    },
  ])('is one line with its reason, and no stack: $name', ({ settings, want, setting }) => {
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
    const { status, stdout } = start(settings);
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    const line = JSON.parse(lines.at(-1) ?? '') as Readonly<Record<string, unknown>>;
    const others = lines.slice(0, -1).filter((text) => !saidWhereBusy.some((said) => text.includes(said)));
    expect([status, others]).toEqual([1, []]);
    expect(line).toMatchObject({
      level: 60,
      msg: 'the controller could not start',
      reason: expect.stringMatching(want),
      ...(setting === undefined ? {} : { setting }),
    });
    expect(line).not.toHaveProperty('err');
  });

  it.each([
    {
      settings: 'cluster: {name: prod}\nlisten: {address: nonsense}',
      want: /^plimsoll: plimsoll\.yaml:5:\d+: listen\.address: .*an IP address/m,
    },
    {
      settings: 'cluster: {name: prod}\ndatabase: {url: "sqlite:"}',
      want: /^plimsoll: plimsoll\.yaml:5:\d+: database\.url: .*sqlite:FILE/m,
    },
    {
      settings: 'cluster: {name: prod}\ndatabase: {url: "sqlite::memory:"}',
      want: /^plimsoll: plimsoll\.yaml:5:\d+: database\.url/m,
    },
  ])('has a place where the configuration is wrong: $settings', ({ settings, want }) => {
    expect(start(settings)).toMatchObject({ status: 2, stderr: expect.stringMatching(want) });
  });
});
