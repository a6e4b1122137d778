import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { openInput } from './open-input.ts';

it('says of a folder, as an export is, what can be read in its place', async () => {
  await expect(openInput(tmpdir(), new PassThrough())).rejects.toMatchObject({
    name: 'UnusableError',
    message: `cannot read ${tmpdir()}: it is a folder; name a file in it, such as entries-000001.ndjson of an export`,
  });
});
