import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const file = join(import.meta.dirname, 'end-process.ts');
/** Without an end it would be there for as long as it may. */
const options = { timeout: 60_000 };

async function endOf(script: string): Promise<{ readonly code: unknown; readonly stdout: string }> {
  const text = `import { endProcess } from ${JSON.stringify(file)}; ${script}`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => {
      const { code, stdout } = error as { readonly code: unknown; readonly stdout: string };
      return { code, stdout };
    },
  );
}

it.each([0, 1])('ends with status %i what something is left of that was given up', async (status) => {
  const script = `setInterval(() => undefined, 1_000); process.exitCode = ${status}; console.log('ended'); endProcess();`;
  expect(await endOf(script)).toEqual({ code: status, stdout: 'ended\n' });
});

it('waits for nothing where nothing is left', async () => {
  const script = `process.on('exit', () => console.log('by itself')); process.exit = () => console.log('made to'); endProcess();`;
  expect(await endOf(script)).toEqual({ code: 0, stdout: 'by itself\n' });
});
