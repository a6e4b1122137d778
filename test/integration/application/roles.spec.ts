import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { buildSchema } from 'graphql';
import type { LedgerPort } from '#ledger';
import { resolvers } from '../../../apps/controller/src/admin-graphql/admin-graphql.module.ts';
import { OperatorAction } from '../../../apps/controller/src/auth/operator-action.decorator.ts';
import { Roles } from '../../../apps/controller/src/auth/roles.decorator.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';

jest.setTimeout(60_000);

const schema = buildSchema(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'schema.graphql'), 'utf8'),
);

const reflector = new Reflector();

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

  const recorded = async (): Promise<readonly object[]> => {
    const ledger = application.nest.get<LedgerPort>(ledgerToken);
    const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 1_000 });
    return items.map(({ entry }) => entry.payload);
  };
  const hash = (index: number): string => index.toString(16).padStart(40, '0');
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
        reason: 'the-viewer is no operator',
        arguments: { source: 'policies', commit: hash(1) },
      },
    ]);
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
    expect(await recorded()).toEqual([]);
  });
});
