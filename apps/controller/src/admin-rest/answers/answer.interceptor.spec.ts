import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, type Observable, Subject } from 'rxjs';
import { operations } from '#contracts';
import type { ActionAnswer } from '#ledger';
import { FakeClock } from '#reconciliation/testing';
import { type Grant, grantEverywhere } from '../../auth/callers/principal.ts';
import { DeletionTime } from '../../database/deletion-time.ts';
import { AnswerInterceptor } from './answer.interceptor.ts';
import { operationKey } from './asked.decorator.ts';
import { RepeatedActions } from './repeated-actions.ts';

import 'reflect-metadata';

describe('an action with an Idempotency-Key', () => {
  let stored: Map<string, { readonly request: string; readonly answer: ActionAnswer | null }>;
  let interceptor: AnswerInterceptor;
  let runs: Subject<object>[];
  beforeEach(() => {
    jest.useFakeTimers();
    stored = new Map();
    runs = [];
    const answers = {
      begin: (key: string, request: string) => {
        const known = stored.get(key) ?? null;
        if (known === null) stored.set(key, { request, answer: null });
        return Promise.resolve(known);
      },
      finish: (key: string, answer: ActionAnswer) => {
        stored.set(key, { request: stored.get(key)?.request ?? '', answer });
        return Promise.resolve();
      },
      forget: (key: string) => Promise.resolve(void stored.delete(key)),
    };
    const clock = new FakeClock();
    const time = new DeletionTime({ clock, databaseTime: () => Promise.resolve(null) });
    interceptor = new AnswerInterceptor(new RepeatedActions({ answers, time, clock }));
  });
  afterEach(() => void jest.useRealTimers());

  const handler = (): undefined => undefined;
  Reflect.defineMetadata(operationKey, operations.syncSource, handler);
  const reply: Record<string, () => unknown> = { header: () => reply, code: () => reply, type: () => reply };
  const send = (grants: readonly Grant[] = grantEverywhere('operator')): Promise<unknown> => {
    const headers = { 'idempotency-key': 'k', accept: 'application/json' };
    const request = {
      headers,
      raw: { headers },
      method: 'POST',
      url: '/',
      principal: { name: 'ann', grants },
    };
    const context = {
      getHandler: () => handler,
      switchToHttp: () => ({
        getRequest: () => request as unknown as FastifyRequest,
        getResponse: () => reply as unknown as FastifyReply,
      }),
    } as unknown as ExecutionContext;
    const handle = (): Observable<object> => {
      const run = new Subject<object>();
      runs.push(run);
      return run;
    };
    return firstValueFrom(interceptor.intercept(context, { handle }));
  };
  const problem = (code: string) => expect.objectContaining({ problem: expect.objectContaining({ code }) });

  it('that takes too long is not carried out again while it goes on, and then answered', async () => {
    const late = expect(send()).rejects.toEqual(problem('DeadlineExceeded'));
    await jest.advanceTimersByTimeAsync(120_000);
    await late;
    await expect(send()).rejects.toEqual(problem('ActionUnderWay'));
    runs[0]?.next({ done: true });
    await jest.advanceTimersByTimeAsync(0);
    expect(await send()).toBe('{"done":true}');
    expect(runs).toHaveLength(1);
  });

  it('shows an answer to no caller of the same name whose grants are others', async () => {
    const first = send();
    await jest.advanceTimersByTimeAsync(0);
    runs[0]?.next({ done: true });
    await first;
    await expect(send([{ role: 'operator', namespaces: ['shop'] }])).rejects.toEqual(
      problem('IdempotencyKeyReused'),
    );
    expect(runs).toHaveLength(1);
  });
});
