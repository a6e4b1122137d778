import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { controller } from '../../apps/console/src/messages/controller.ts';
import { degradationKinds } from '../../apps/controller/src/health/degradations.ts';

const root = join(import.meta.dirname, '../..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Of `Degradation.what`. */
const [description = ''] = /^ {2}ledger: nothing can be recorded.*$/m.exec(text('schema.graphql')) ?? [];

describe('what does not work', () => {
  it.each(degradationKinds)('is explained in the API, the console and the documents: %s', (what) => {
    expect(description).toContain(` ${what}: `);
    expect(controller.degraded[what]).toEqual({ what: expect.any(String), todo: expect.any(String) });
    for (const file of ['docs/runbook.md', 'docs/spec/metrics.md'])
      expect(text(file)).toContain(`\`${what}\``);
  });
});
