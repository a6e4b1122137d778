import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { leaseNamespace, readLeaseWrites } from './audit-record.ts';

const time = '2026-01-01T00:00:00.000000Z';
const line = JSON.stringify({
  objectRef: { resource: 'leases', namespace: leaseNamespace, name: 'plimsoll-shard-0' },
  user: { username: 'a' },
  responseStatus: { code: 200 },
  responseObject: { spec: { holderIdentity: 'a-1' } },
  stageTimestamp: time,
});

describe('the record of what an API server carries out', () => {
  it('is read up to the line that is being written, which is read once it is whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'audit-record-'));
    try {
      const file = join(folder, 'audit.log');
      const write = { name: 'plimsoll-shard-0', user: 'a', holder: 'a-1', time };
      await writeFile(file, `${line}\n${line.slice(0, 40)}`);
      expect(await readLeaseWrites(file)).toEqual([write]);
      await appendFile(file, `${line.slice(40)}\n`);
      expect(await readLeaseWrites(file)).toEqual([write, write]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is refused where a line in the middle is damaged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'audit-record-'));
    try {
      const file = join(folder, 'audit.log');
      await writeFile(file, `${line.slice(0, 40)}\n${line}\n`);
      await expect(readLeaseWrites(file)).rejects.toThrow(SyntaxError);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
