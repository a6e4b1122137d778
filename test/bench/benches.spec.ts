import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const main = join(import.meta.dirname, 'main.ts');

describe('the benches', () => {
  it('load on the built code, every one of them', () => {
    const names = execFileSync(process.execPath, [main, '--list'], { encoding: 'utf8' });
    expect([...names.matchAll(/^(\w+): /gm)].map((match) => match[1])).toEqual([
      'decide',
      'sync',
      'audit',
      'api',
      'ledger',
      'series',
      'report',
      'sources',
      'sweep',
      'soak',
      'console',
      'failover',
      'ending',
      'replicas',
      'webhook',
    ]);
  });
});
