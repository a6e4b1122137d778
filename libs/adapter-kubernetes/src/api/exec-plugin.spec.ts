import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ExecPlugin } from './exec-plugin.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-exec-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('ExecPlugin', () => {
  it('runs the command with its arguments and environment, and as client-go asks it', async () => {
    const script = `
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [process.argv[1], process.env.REGION, spec.interactive].join('-');
      console.log(JSON.stringify({ status: { token } }));`;
    const plugin = new ExecPlugin({
      command: process.execPath,
      args: ['-e', script, 'argument'],
      env: [{ name: 'REGION', value: 'north' }],
    });
    expect(await plugin.credentials(now)).toEqual({
      token: 'argument-north-false',
      certificate: '',
      key: '',
    });
  });

  it('runs it again when what it gave has expired or was refused, and not before', async () => {
    const plugin = new ExecPlugin(counting('2026-03-01T12:10:00Z'));
    expect(await plugin.credentials(now)).toMatchObject({ token: '1' });
    expect(await plugin.credentials(now + 599_000)).toMatchObject({ token: '1' });
    expect(await plugin.credentials(now + 600_000)).toMatchObject({ token: '2' });
    plugin.forget();
    expect(await plugin.credentials(now)).toMatchObject({ token: '3' });
  });

  it('kills one that hangs, and runs it again for the next request', async () => {
    const pidFile = join(folder, 'pid');
    const script = `
      const fs = require('node:fs');
      fs.writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
      setInterval(() => undefined, 1_000);`;
    const plugin = new ExecPlugin({ command: process.execPath, args: ['-e', script] }, 2_000);
    await expect(plugin.credentials(now)).rejects.toMatchObject({
      code: 'CredentialsUnavailable',
      retryable: true,
      message: expect.stringMatching(/no answer within 2000 ms$/),
    });
    const pid = Number(await readFile(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(plugin.credentials(now)).rejects.toMatchObject({ code: 'CredentialsUnavailable' });
  });

  it.each([
    {
      name: 'that fails',
      script: `console.error('Bearer abc.def expired'); process.exit(1)`,
      want: 'Bearer … expired',
    },
    { name: 'that says nothing', script: '', want: 'neither a token nor a client certificate' },
    { name: 'that floods', script: `process.stdout.write('x'.repeat(2_000_000))`, want: 'maxBuffer' },
  ])('refuses one $name', async ({ script, want }) => {
    const plugin = new ExecPlugin({ command: process.execPath, args: ['-e', script] });
    await expect(plugin.credentials(now)).rejects.toMatchObject({
      code: 'CredentialsUnavailable',
      message: expect.stringContaining(want),
    });
  });
});

/** Its token is how often it has run. */
function counting(expirationTimestamp: string) {
  const script = `
    const fs = require('node:fs');
    const file = ${JSON.stringify(join(folder, 'runs'))};
    const runs = Number(fs.existsSync(file) && fs.readFileSync(file, 'utf8')) + 1;
    fs.writeFileSync(file, String(runs));
    const status = { token: String(runs), expirationTimestamp: ${JSON.stringify(expirationTimestamp)} };
    console.log(JSON.stringify({ status }));`;
  return { command: process.execPath, args: ['-e', script] };
}
