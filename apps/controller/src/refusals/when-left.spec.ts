import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { whenLeft } from './when-left.ts';

const anAnswer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

it('listens to an answer once, however often it is asked', () => {
  const answer = anAnswer();
  const before = answer.listenerCount('close');
  const signals = new Set(Array.from({ length: 20 }, () => whenLeft(answer)));
  expect([signals.size, answer.listenerCount('close') - before]).toEqual([1, 1]);
});

it('is aborted by a close before the answer, and for who asks after it', () => {
  const answer = anAnswer();
  const signal = whenLeft(answer);
  expect(signal.aborted).toBe(false);
  answer.destroy();
  answer.emit('close');
  expect([signal.aborted, whenLeft(answer).aborted]).toEqual([true, true]);
});
