import { describe, expect, it } from '@jest/globals';
import { parseJsonPath, valuesAt } from './json-path.ts';

const object = {
  metadata: { annotations: { 'example.com/state': 'go' } },
  status: {
    state: 'OK',
    nothing: null,
    ready: true,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False' },
    ],
  },
};

describe('parseJsonPath and valuesAt', () => {
  it.each([
    { path: '.status.state', want: ['OK'] },
    { path: '{.status.state}', want: ['OK'] },
    { path: '$.status.state', want: ['OK'] },
    { path: 'status.state', want: ['OK'] },
    { path: ".status['state']", want: ['OK'] },
    { path: '.status.ready', want: [true] },
    { path: '.status.nothing', want: [] },
    { path: '.status.missing.further', want: [] },
    { path: '.status.toString', want: [] },
    { path: '.status.conditions[?(@.type=="Ready")].status', want: ['True'] },
    { path: ".status.conditions[?(@.type == 'Synced')].status", want: ['False'] },
    { path: '.status.conditions[?(@.type=="None")].status', want: [] },
    { path: '.status.conditions[0].type', want: ['Ready'] },
    { path: '.status.conditions[-1].type', want: ['Synced'] },
    { path: '.status.conditions[7].type', want: [] },
    { path: '.status.conditions[*].type', want: ['Ready', 'Synced'] },
    { path: '.metadata.annotations.example\\.com/state', want: ['go'] },
    { path: '.metadata.annotations["example.com/state"]', want: ['go'] },
  ])('finds $want at $path', ({ path, want }) => {
    const parsed = parseJsonPath(path);
    expect(parsed.ok ? valuesAt(object, parsed.value) : parsed.error).toEqual(want);
  });

  it.each([
    { path: '', want: 'an empty path' },
    { path: '{}', want: 'an empty path' },
    { path: '..state', want: 'no path goes on with "..state"' },
    { path: '.status[1:2]', want: 'no path goes on with "[1:2]"' },
    { path: '.status[?(@.a>1)]', want: 'no path goes on with "[?(@.a>1)]"' },
    { path: '.a b', want: 'no path goes on with " b"' },
    { path: '.a{', want: 'no path goes on with "{"' },
    { path: `.${'a'.repeat(1_000)}`, want: 'a path has at most 1000 characters' },
  ])('refuses $path', ({ path, want }) => {
    expect(parseJsonPath(path)).toEqual({ ok: false, error: want });
  });
});
