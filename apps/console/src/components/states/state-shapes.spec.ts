import { expect, it } from '@jest/globals';
import { stateTexts } from '../../messages/states.ts';
import { stateShapes } from './state-shapes.ts';

it('each state has a shape and a word of its own', () => {
  const states = Object.keys(stateTexts);
  expect(Object.keys(stateShapes).toSorted()).toEqual(states.toSorted());
  expect(new Set(Object.values(stateShapes)).size).toBe(states.length);
  expect(new Set(Object.values(stateTexts).map(({ word }) => word)).size).toBe(states.length);
});
