import { describe, expect, it } from '@jest/globals';
import { type ConditionState, PolicyConditions } from './policy-conditions.ts';

const ready = (status: 'True' | 'False' | 'Unknown', reason: string, message = ''): ConditionState => ({
  type: 'Ready',
  status,
  reason,
  message,
});

const at = (minute: number): string => `2026-11-20T12:0${minute}:00.000Z`;

describe('PolicyConditions', () => {
  it.each([
    { name: 'another status', next: ready('False', 'Conflict'), want: at(1) },
    { name: 'another reason of the same status', next: ready('True', 'Scaled'), want: at(0) },
    { name: 'another message', next: ready('True', 'Unchanged', 'still'), want: at(0) },
  ])('dates a transition by the status: $name', ({ next, want }) => {
    const conditions = new PolicyConditions();
    conditions.set(ready('True', 'Unchanged'), at(0));
    conditions.set(next, at(1));
    expect(conditions.list()).toEqual([{ ...next, lastTransitionTime: want }]);
  });

  it.each([
    { name: 'another status', next: ready('False', 'Conflict'), isStored: true },
    { name: 'another reason', next: ready('True', 'Scaled'), isStored: true },
    { name: 'a message alone', next: ready('True', 'Unchanged', '83 %'), isStored: false },
    { name: 'the same again', next: ready('True', 'Unchanged'), isStored: false },
  ])('stores $name: $isStored', ({ next, isStored }) => {
    const conditions = new PolicyConditions();
    conditions.set(ready('True', 'Unchanged'), at(0));
    conditions.noteRecorded(conditions.list());
    conditions.set(next, at(1));
    expect(conditions.takeUnrecorded() !== null).toBe(isStored);
  });

  it('stores one list at a time, and what could not be stored again', () => {
    const conditions = new PolicyConditions();
    conditions.set(ready('True', 'Unchanged'), at(0));
    expect(conditions.takeUnrecorded()).toHaveLength(1);
    expect(conditions.takeUnrecorded()).toBeNull();
    conditions.noteUnrecorded();
    expect(conditions.takeUnrecorded()).toHaveLength(1);
  });

  it('goes on from what is stored, and stores it no second time', () => {
    const conditions = new PolicyConditions();
    conditions.restore([{ ...ready('True', 'Unchanged'), lastTransitionTime: at(0) }]);
    conditions.set(ready('True', 'Unchanged', 'again'), at(5));
    expect(conditions.get('Ready')?.lastTransitionTime).toBe(at(0));
    expect(conditions.takeUnrecorded()).toBeNull();
  });

  it("knows what upstream's conditions were made of, until they are made of anything else", () => {
    const conditions = new PolicyConditions();
    const decided = [{ ...ready('True', 'x'), type: 'AbleToScale', lastTransitionTime: at(0) }];
    const source = { decided, remembered: [], replicas: 4 };
    expect(conditions.areMadeOf(source)).toBe(false);
    conditions.replaceUpstream(decided, source);
    expect(conditions.areMadeOf({ ...source })).toBe(true);
    expect(conditions.areMadeOf({ ...source, replicas: 5 })).toBe(false);
    expect(conditions.areMadeOf({ ...source, remembered: [] })).toBe(false);
    expect(conditions.areMadeOf({ ...source, decided: [...decided] })).toBe(false);
    conditions.replaceUpstream(decided);
    expect(conditions.areMadeOf(source)).toBe(false);
    conditions.replaceUpstream(decided, source);
    conditions.restore([]);
    expect(conditions.areMadeOf(source)).toBe(false);
  });

  it("lists Plimsoll's own in their order, then upstream's, and forgets upstream's that are gone", () => {
    const conditions = new PolicyConditions();
    const upstream = (type: string) => ({ ...ready('True', 'x'), type, lastTransitionTime: at(0) });
    conditions.replaceUpstream([upstream('AboveHighWatermark'), upstream('AbleToScale')]);
    conditions.set({ ...ready('True', 'x'), type: 'Degraded' }, at(0));
    conditions.set(ready('True', 'x'), at(0));
    conditions.replaceUpstream([upstream('ScalingActive'), upstream('AbleToScale')]);
    const types = conditions.list().map(({ type }) => type);
    expect(types).toEqual(['Ready', 'Degraded', 'ScalingActive', 'AbleToScale']);
  });

  it('keeps the same list while every condition is as it was', () => {
    const conditions = new PolicyConditions();
    const set = (minute: number): readonly object[] => {
      const upstream = { ...ready('True', 'x'), type: 'AbleToScale', lastTransitionTime: at(0) };
      conditions.replaceUpstream([upstream]);
      conditions.set(ready('True', 'Unchanged'), at(minute));
      return conditions.list();
    };
    expect(set(1)).toBe(set(0));
  });
});
