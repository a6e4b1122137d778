import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { buildSchema } from 'graphql';
import { type Operation, operations } from '#contracts';
import type { LedgerPort } from '#ledger';
import { OperatorAction } from '../../../apps/controller/src/admin/access/operator-action.decorator.ts';
import { resolvers } from '../../../apps/controller/src/admin-graphql/admin-graphql.module.ts';
import { Roles } from '../../../apps/controller/src/auth/callers/roles.decorator.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';

jest.setTimeout(60_000);

const schema = buildSchema(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'schema.graphql'), 'utf8'),
);

const reflector = new Reflector();

interface RightAction {
  readonly id: string;
  readonly query?: string;
  readonly body?: object;
  readonly as: string;
  readonly has: object;
}

/** The method that answers a field of a root type: of those of that name the one that has a role. */
function handlerOf(name: string): Type | undefined {
  const handlers = resolvers.map(({ prototype }) => Reflect.get(prototype, name) as Type | undefined);
  return handlers.find((handler) => handler !== undefined && Reflect.hasMetadata(Roles.KEY, handler));
}

describe('the role of an operation', () => {
  it.each(Object.keys(schema.getQueryType()?.getFields() ?? {}))('%s wants a viewer', (name) => {
    expect(reflector.get(Roles, handlerOf(name)!)).toBe('viewer');
  });

  it.each(Object.values(schema.getMutationType()?.getFields() ?? {}))(
    '$name wants the role that its description names, and has a name in the ledger',
    ({ name, description }) => {
      const handler = handlerOf(name)!;
      expect(description).toContain(`Role ${reflector.get(Roles, handler)}`);
      expect(reflector.get(OperatorAction, handler)).toBeDefined();
    },
  );
});

describe('a refused action', () => {
  let application: AnApplication;
  beforeEach(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterEach(() => application.close());

  const recorded = () => recordedBy(application);
  const rollBack = (index: number): string =>
    `mutation { rollBackSource(source: "policies", commit: "${hash(index)}", reason: "x") { ${orRefusal} } }`;

  it('is recorded once with who, what and why, however often it is asked for', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(codesOf(await application.ask(rollBack(1), 'viewer'))).toEqual(['Forbidden']);

    expect(await recorded()).toEqual([
      {
        actor: 'the-viewer',
        action: 'RollBackSource',
        outcome: 'Refused',
        reason: 'the-viewer does not have role operator',
        givenReason: 'x',
        arguments: { source: 'policies', commit: hash(1) },
      },
    ]);
  });

  it.each(['GraphQL', 'REST'])('is not recorded where it was a dry run over %s', async (way) => {
    const rehearsed = rollBack(1).replace('reason: "x"', 'dryRun: true');
    if (way === 'GraphQL') {
      expect(codesOf(await application.ask(rehearsed, 'viewer'))).toEqual(['Forbidden']);
    } else {
      const answer = await fetch(`${application.url()}/api/v1/sources/policies/rollback?dryRun=true`, {
        method: 'POST',
        headers: { authorization: `Bearer ${application.tokens.viewer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ commit: hash(1) }),
      });
      expect(answer.status).toBe(403);
    }
    expect(await recorded()).toEqual([]);
  });

  it('fills no ledger: one caller has so many entries, and another has its own', async () => {
    for (let index = 0; index < 60; index += 1) await application.ask(rollBack(index), 'viewer');
    expect(await recorded()).toHaveLength(30);
    await application.ask(
      `mutation { approveHold(source: "policies", digest: "d", reason: "x") { ${orRefusal} } }`,
      'operator',
    );
    expect(await recorded()).toHaveLength(31);
  });
});

describe('an action that nobody could carry out', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  it.each(['constructor', 'toString', 'hasOwnProperty'])(
    'with an argument named %s, as objects have them, is the caller’s mistake',
    async (name) => {
      const answer = await fetch(`${application.url()}/api/v1/sources/policies/sync`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${application.tokens.viewer}` },
        body: JSON.stringify({ [name]: 'x' }),
      });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'BadArgument' }),
      ]);
      expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
    },
  );

  it.each([
    {
      name: 'a source without end',
      text: `mutation { syncNow(source: "${'a'.repeat(100_000)}") { ${orRefusal} } }`,
      code: 'BadArgument',
    },
    {
      name: 'a source with a line end',
      text: `mutation { syncNow(source: "a\\nb") { ${orRefusal} } }`,
      code: 'BadArgument',
    },
    {
      name: 'a commit that is none',
      text: `mutation { rollBackSource(source: "policies", commit: "HEAD", reason: "x") { ${orRefusal} } }`,
      code: 'BadArgument',
    },
    {
      name: 'a reason without end',
      text: `mutation { rollBackSource(source: "policies", commit: "${hash(1)}", reason: "${'r'.repeat(100_000)}") { ${orRefusal} } }`,
      code: 'ReasonRequired',
    },
    {
      name: 'no reason',
      text: `mutation { rollBackSource(source: "policies", commit: "${hash(1)}", reason: " ") { ${orRefusal} } }`,
      code: 'ReasonRequired',
    },
  ])('with $name is not recorded at all', async ({ text, code }) => {
    expect(codesOf(await application.ask(text))).toEqual([code]);
    expect(await recordedBy(application)).toEqual([]);
  });
});

describe('an action over REST without the role', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  const reason = 'a test';
  const commit = 'a'.repeat(40);
  const [namespace, id] = ['shop', '5f0c1ad6-7f5a-4b3c-9a51-0d6a3c9f6f10'];
  const policy = { namespace, name: 'cart' };
  const intervention = { expires: '2100-01-01T00:00:00Z', reason };
  /** Actions over REST, each as it is right: what is asked, and what the ledger has of it. */
  const rightActions: readonly RightAction[] = [
    {
      id: 'releasePolicy',
      body: { source: 'policies', reason },
      as: 'ReleasePolicy',
      has: { source: 'policies', policy: 'shop/cart' },
    },
    {
      id: 'resumePolicy',
      body: { source: 'policies', reason },
      as: 'ResumeSource',
      has: { source: 'policies', policy: 'shop/cart' },
    },
    { id: 'syncSource', as: 'SyncSource', has: { source: 'policies' } },
    {
      id: 'rollBackSource',
      body: { commit, reason },
      as: 'RollBackSource',
      has: { source: 'policies', commit },
    },
    { id: 'resumeSource', body: { reason }, as: 'ResumeSource', has: { source: 'policies' } },
    { id: 'approveHold', body: { reason }, as: 'ApproveHold', has: { source: 'policies', digest: 'd' } },
    { id: 'rejectHold', body: { reason }, as: 'RejectHold', has: { source: 'policies', digest: 'd' } },
    { id: 'endIntervention', query: `?kind=DryRun&reason=x`, as: 'EndIntervention', has: { id } },
    { id: 'changeShardCount', body: { count: 32, reason }, as: 'ChangeShardCount', has: { shardCount: 32 } },
    { id: 'releaseAll', body: { to: 'None', reason }, as: 'ReleaseAll', has: { to: 'None' } },
    {
      id: 'beginIntervention',
      body: { kind: 'Suspend', scope: { kind: 'Namespace', namespace }, direction: 'Down', ...intervention },
      as: 'SuspendScaling',
      has: { scope: 'Namespace', namespace, direction: 'Down', expires: intervention.expires },
    },
    {
      id: 'beginIntervention',
      body: { kind: 'Override', policy, minReplicas: 3, ...intervention },
      as: 'OverrideReplicas',
      has: { policy: 'shop/cart', minReplicas: 3, expires: intervention.expires },
    },
    {
      id: 'beginIntervention',
      body: { kind: 'DryRun', scope: { kind: 'Cluster' }, ...intervention },
      as: 'StartDryRun',
      has: { scope: 'Cluster', expires: intervention.expires },
    },
  ];

  it.each(rightActions)(
    '$id as $as is forbidden, and recorded with what was asked',
    async ({ body, ...action }) => {
      const { method, path } = Object.values<Operation>(operations).find((each) => each.id === action.id)!;
      const names = { source: 'policies', digest: 'd', id, ...policy };
      const place = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof names) => names[name]);
      const answer = await fetch(`${application.url()}/api/v1${place}${action.query ?? ''}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer ${application.tokens.viewer}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      });
      expect([answer.status, await answer.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'Forbidden' }),
      ]);
      expect((await recordedBy(application)).at(-1)).toMatchObject({
        action: action.as,
        outcome: 'Refused',
        arguments: action.has,
      });
    },
  );

  it('has a row for every action that wants more than a viewer', () => {
    const wanting = Object.values<Operation>(operations).filter(({ role }) => role !== 'viewer');
    expect(new Set(rightActions.map((action) => action.id))).toEqual(new Set(wanting.map((each) => each.id)));
  });
});

/** Of a commit. */
function hash(index: number): string {
  return index.toString(16).padStart(40, '0');
}

async function recordedBy(application: AnApplication): Promise<readonly object[]> {
  const ledger = application.nest.get<LedgerPort>(ledgerToken);
  const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 1_000 });
  return items.map(({ entry }) => entry.payload);
}
