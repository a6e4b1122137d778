import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventReasons, lifecycleReasons } from '#reconciliation';

const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'spec', 'events.md'), 'utf8');

/** Reason and type of each row of its tables. */
const rows = [...document.matchAll(/^\| `([\w<>]+)` \| (Normal|Warning) \| (?:policy|target) \| .+ \|$/gm)];

describe('docs/spec/events.md', () => {
  it('lists every Event that is emitted, once, with its type, and no other', () => {
    const documented = rows.map((row) => row.slice(1, 3));
    const emitted = [
      ...Object.entries(eventReasons),
      ...lifecycleReasons.map((reason) => [reason, 'Warning']),
    ];
    expect(documented.toSorted()).toEqual(emitted.toSorted());
  });
});
