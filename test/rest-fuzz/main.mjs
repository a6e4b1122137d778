// Sends what Schemathesis (PyPI) makes of openapi.json to the built controller of the demo: no answer is a 5xx, and none is
// one that the document does not describe. `node test/rest-fuzz/main.mjs [seconds [seed]]`; PYTHON names the interpreter.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = join(folder, '../..');
const seconds = Number(process.argv[2] ?? 120);
/** The same requests in every run of CI; another seed finds others. */
const seed = process.argv[3] ?? '1';
const python = process.env.PYTHON ?? 'python3';
const environment = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'plimsoll/rest-fuzz');

/** After so long a demo that says nothing has not started. */
const startMilliseconds = 60_000;

/** In the environment's folder, so that nothing is left in the working tree. */
async function run(command, operands) {
  await mkdir(environment, { recursive: true });
  const child = spawn(command, operands, { cwd: environment, stdio: 'inherit' });
  const { promise, resolve, reject } = Promise.withResolvers();
  child.on('error', reject).on('exit', resolve);
  return promise;
}

async function install() {
  if (!existsSync(join(environment, 'bin/pip'))) await must(python, ['-m', 'venv', environment]);
  const requirements = join(folder, 'requirements.txt');
  await must(join(environment, 'bin/pip'), ['install', '--quiet', '--requirement', requirements]);
}

async function must(command, operands) {
  const status = await run(command, operands);
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

/** The demo, and what its introduction says of it. */
async function startDemo() {
  const child = spawn(process.execPath, ['scripts/start.js'], { cwd: root });
  const { promise, resolve, reject } = Promise.withResolvers();
  const timer = setTimeout(() => reject(new Error('the demo did not start')), startMilliseconds);
  let text = '';
  const onText = (data) => {
    text += data;
    const url = /GraphQL +(\S+)\/graphql/.exec(text)?.[1];
    const token = /token +(\S+)/.exec(text)?.[1];
    if (url !== undefined && token !== undefined) resolve({ url, token });
  };
  child.stdout.on('data', onText);
  child.on('exit', () => reject(new Error(`the demo ended: ${text}`)));
  try {
    return { child, ...(await promise) };
  } finally {
    clearTimeout(timer);
  }
}

await install();
const { child, url, token } = await startDemo();
try {
  process.exitCode = await run(join(environment, 'bin/schemathesis'), [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', `${url}/api/v1/openapi.json`],
    ...['--url', `${url}/api/v1`, '--header', `Authorization: Bearer ${token}`],
    ...['--max-time', String(seconds), '--seed', seed],
  ]);
} finally {
  child.removeAllListeners('exit');
  child.kill('SIGTERM');
}
