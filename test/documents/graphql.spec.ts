import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildSchema, isIntrospectionType, isObjectType, isSpecifiedScalarType } from 'graphql';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8'));
const roots = ['Query', 'Mutation', 'Subscription'];

/** Relay's forms, which its specification describes; roots are described by their fields. */
const isFrame = (name: string): boolean => /(?:Edge|Connection)$/.test(name) || roots.includes(name);

describe('the GraphQL schema', () => {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

  it('says of every type what it is', () => {
    const own = types.filter(({ name }) => !isFrame(name));
    expect(own.length).toBeGreaterThan(50);
    expect(own.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  it('says of everything that can be asked for, done and subscribed to what it is', () => {
    const fields = types
      .filter(isObjectType)
      .filter(({ name }) => roots.includes(name))
      .flatMap((type) => Object.values(type.getFields()));
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['policies', 'syncNow', 'holds']));
    expect(fields.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });
});
