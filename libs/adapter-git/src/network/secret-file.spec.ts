import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSecrets } from './secret-file.ts';

describe('the secrets of a file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function loaded(text: string): Promise<readonly string[]> {
    await writeFile(join(folder, 'secrets'), text);
    return loadSecrets(join(folder, 'secrets'));
  }

  const whole = `whsec_${'A'.repeat(32)}`;

  it('are its lines', async () => {
    expect(await loaded(`second\n\n${whole} \n`)).toEqual(['second', whole]);
  });

  it.each(['whsec_', 'whsec_AAAA', 'whsec_!!!!', `whsec_${'ä'.repeat(40)}`])(
    'are none where one was cut off, so that nothing is signed or believed by a key that is guessed: %s',
    async (secret) => {
      const refusal = loaded(`another-secret\n${secret}\n`);
      await expect(refusal).rejects.toMatchObject({
        code: 'SecretUnreadable',
        message: expect.stringContaining('secret 2 is cut off, or no base64 after whsec_'),
      });
      await expect(refusal).rejects.not.toThrow(secret.slice(6) || 'another-secret');
    },
  );
});
