import { describe, expect, it } from '@jest/globals';
import { factText, isWordedFact } from '../../messages/entry-words.ts';
import { endingOf, isEndedEarly } from './ended-intervention.ts';
import { jsonChanges } from './json-changes.ts';
import { metricLines } from './metric-lines.ts';
import { orderArguments } from './order-arguments.ts';
import { readEffect } from './read-effect.ts';

describe('what changed between two values', () => {
  it('is named by the path of each member, lists as a whole', () => {
    const before = { mode: 'Act', sources: [{ name: 'a' }], log: { level: 'info' } };
    const after = { mode: 'Act', sources: [{ name: 'b' }], log: { level: 'debug', days: 7 } };
    expect(jsonChanges(before, after)).toEqual([
      { path: 'sources', before: [{ name: 'a' }], after: [{ name: 'b' }] },
      { path: 'log.level', before: 'info', after: 'debug' },
      { path: 'log.days', after: 7 },
    ]);
    expect(jsonChanges(before, before)).toEqual([]);
  });
});

describe('what an action was given', () => {
  it('begins with where, from the fewest replicas to the exact count, and then until when; ids stand apart', () => {
    const given = {
      expires: '2026-11-22T05:12:00Z',
      id: 'one',
      later: 'new',
      maxReplicas: 9,
      minReplicas: 3,
      policy: 'shop/web',
      replicas: 5,
      scope: 'Policy',
    };
    const { terms, ids } = orderArguments(given);
    const names = ['scope', 'policy', 'minReplicas', 'maxReplicas', 'replicas', 'expires', 'later'] as const;
    expect(terms).toEqual(names.map((name) => [name, given[name]]));
    expect(ids).toEqual([['id', 'one']]);
  });
});

describe('how an intervention ended, of the action that began or ended it', () => {
  const expires = '2026-11-22T08:00:00Z';
  const action = {
    ...{ operatorAction: 'EndOverride', outcome: 'Accepted' as const, arguments: { expires } },
    ...{ actor: 'bo', time: '2026-11-22T06:00:00Z', end: null },
  };
  const of = (given: Partial<Parameters<typeof endingOf>[0]>) => {
    const entry = { ...action, ...given };
    return [endingOf(entry), isEndedEarly(entry)];
  };

  it('is said of an end by when it was done, and by whom', () => {
    expect(of({})).toEqual([{ time: action.time, actor: 'bo', reason: null }, true]);
  });

  it('is said of one that expired by when it did, however much later that was recorded', () => {
    const expired = { time: '2026-11-22T09:00:00Z', actor: 'plimsoll' };
    expect(of(expired)).toEqual([{ time: expires, actor: 'plimsoll', reason: null }, false]);
  });

  it('is said of a beginning as the controller has it, and of an end that was refused not at all', () => {
    expect(of({ operatorAction: 'OverrideReplicas' })).toEqual([null, false]);
    expect(of({ outcome: 'Refused' })).toEqual([null, false]);
  });
});

describe('metrics over a time', () => {
  it('are a line each, one value where it was the same', () => {
    const cpu = {
      type: 'Resource',
      name: 'cpu',
      proposedReplicas: { min: 3, max: 5 },
      current: { averageUtilization: { min: '40', max: '40' } },
    };
    expect(metricLines([cpu, { ...cpu, proposedReplicas: null, current: {} }])).toEqual([
      'Resource cpu: averageUtilization 40, proposes 3–5',
      'Resource cpu: nothing known',
    ]);
    expect(metricLines('none')).toEqual([]);
  });
});

describe('the effect of an action as its entry has it', () => {
  it('is read member by member', () => {
    const now = { minReplicas: 2, maxReplicas: 9, replicas: 4, stopped: 'None', isDryRun: false };
    const policy = { namespace: 'shop', name: 'web' };
    const effect = {
      summary: 'Stops it.',
      total: 30,
      changes: ['shop/web changed', 7],
      against: ['guardrail bounds: 9 are enough', null],
      policies: [{ policy, now, then: { ...now, stopped: 'Both' }, direction: 'None' }, 'what?'],
    };
    const picture = { bounds: '2–9', replicas: 4, stopped: 'None', isDryRun: false };
    expect(readEffect(effect)).toEqual({
      summary: 'Stops it.',
      total: 30,
      changes: ['shop/web changed'],
      against: ['guardrail bounds: 9 are enough'],
      policies: [{ ...policy, now: picture, then: { ...picture, stopped: 'Both' }, direction: 'None' }],
    });
  });

  it('is none where there is none, and as much as is there of another release', () => {
    expect(readEffect(null)).toBeNull();
    expect(readEffect({})).toEqual({ summary: '', total: 0, changes: [], against: [], policies: [] });
  });
});

describe('a word of the API', () => {
  it('is told in those of people, and kept where it is of another release', () => {
    expect(factText('verb', 'Adopt')).toBe('taken over');
    expect(factText('direction', 'Down')).toBe('down');
    expect(factText('scope', 'Namespace')).toBe('a namespace');
    expect(factText('departure', 'Forgotten')).toBe('Forgotten');
    expect(['scope', 'digest', 'toString'].filter(isWordedFact)).toEqual(['scope']);
  });
});
