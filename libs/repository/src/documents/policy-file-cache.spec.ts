import { describe, expect, it } from '@jest/globals';
import { type PolicyFileSource, readPolicyFile } from '#policy';
import { PolicyFileCache } from './policy-file-cache.ts';

const valid = aSource('apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n');
const foreign = aSource('# autoscaling/v2\na: b: c\n');

describe('the cache of parsed files', () => {
  it('gives an unchanged blob as the same object, in this sync and the next', () => {
    const cache = new PolicyFileCache();
    const first = cache.begin()(valid, 'one');
    expect(cache.begin()(valid, 'one')).toBe(first);
    expect(cache.begin()({ ...valid, isInForce: true }, 'one')).toBe(first);
  });

  it('parses another blob of the same path', () => {
    const cache = new PolicyFileCache();
    const first = cache.begin()(valid, 'one');
    expect(cache.begin()(valid, 'two')).not.toBe(first);
  });

  it('reads a file that cannot be read again once it is in force: it is an error then', () => {
    const cache = new PolicyFileCache();
    const severityOf = (source: PolicyFileSource): string | undefined =>
      cache.begin()(source, 'one').diagnostics[0]?.severity;
    expect(severityOf(foreign)).toBe('warning');
    expect(severityOf({ ...foreign, isInForce: true })).toBe('error');
    expect(severityOf(foreign)).toBe('warning');
  });

  it('holds what was parsed elsewhere, and forgets what a sync did not use', () => {
    const cache = new PolicyFileCache();
    const parsed = readPolicyFile(valid);
    const read = cache.begin();
    expect(cache.has(valid, 'one')).toBe(false);
    cache.keep(valid, 'one', parsed);
    expect(cache.has(valid, 'one')).toBe(true);
    expect(read(valid, 'one')).toBe(parsed);
    cache.begin()({ ...valid, file: 'other.yaml' }, 'two');
    cache.begin();
    expect(cache.has(valid, 'one')).toBe(false);
  });
});

function aSource(text: string): PolicyFileSource {
  return { file: 'f.yaml', bytes: new TextEncoder().encode(text) };
}
