import { describe, expect, it } from '@jest/globals';
import { inexactIntegers, plainJson } from './plain-json.ts';

describe('a value read from YAML as JSON', () => {
  it('stays the same object where it is JSON already', () => {
    const value = { a: [1, { b: 'text' }], c: null, d: true };
    expect(plainJson(value)).toBe(value);
  });

  it('is copied down to what is no JSON, and shares the rest', () => {
    const kept = { b: 1 };
    const value = { kept, spec: [{ value: 12345678901234567890n }, undefined] };
    const json = plainJson(value);
    expect(json).toEqual({ kept: { b: 1 }, spec: [{ value: '12345678901234567890' }, null] });
    expect(json).toHaveProperty('kept', kept);
    expect(value.spec[0]).toEqual({ value: 12345678901234567890n });
  });

  it('keeps a key that is called __proto__', () => {
    const value: unknown = JSON.parse('{"__proto__": {"a": 1}}');
    expect(JSON.stringify(plainJson(value))).toBe('{"__proto__":{"a":1}}');
  });

  it('stays a number where no quantity stands, and is found there', () => {
    const value = {
      metadata: { labels: { value: 20261122041530123n } },
      spec: {
        maxReplicas: 20261122041530123n,
        metrics: [{ external: { target: { value: 20261122041530123n } } }],
        recommender: { settings: { value: 20261122041530123n } },
      },
    };
    expect(plainJson(value)).toEqual({
      metadata: { labels: { value: 20261122041530124 } },
      spec: {
        maxReplicas: 20261122041530124,
        metrics: [{ external: { target: { value: '20261122041530123' } } }],
        recommender: { settings: { value: 20261122041530124 } },
      },
    });
    expect(inexactIntegers(value)).toEqual([
      ['metadata', 'labels', 'value'],
      ['spec', 'maxReplicas'],
      ['spec', 'recommender', 'settings', 'value'],
    ]);
  });
});
