import { describe, expect, it } from '@jest/globals';
import { plainJson } from './plain-json.ts';

describe('a value read from YAML as JSON', () => {
  it('stays the same object where it is JSON already', () => {
    const value = { a: [1, { b: 'text' }], c: null, d: true };
    expect(plainJson(value)).toBe(value);
  });

  it('is copied down to what is no JSON, and shares the rest', () => {
    const kept = { b: 1 };
    const value = { kept, changed: [{ deep: 12345678901234567890n }, undefined] };
    const json = plainJson(value);
    expect(json).toEqual({ kept: { b: 1 }, changed: [{ deep: '12345678901234567890' }, null] });
    expect(json).toHaveProperty('kept', kept);
    expect(value.changed[0]).toEqual({ deep: 12345678901234567890n });
  });

  it('keeps a key that is called __proto__', () => {
    const value: unknown = JSON.parse('{"__proto__": {"a": 1}}');
    expect(JSON.stringify(plainJson(value))).toBe('{"__proto__":{"a":1}}');
  });
});
