import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, isObjectType } from 'graphql';
import { type Operation, operations } from '#contracts';

const schemaFile = join(import.meta.dirname, '../../../../schema.graphql');

/** Texts that no list has given out as a cursor. */
export const forgedCursors = [
  { name: 'a word', after: 'shop' },
  { name: 'a name', after: 'shop/cart' },
  { name: 'the encoding of something else', after: Buffer.from("1.1' OR 1=1").toString('base64url') },
  { name: 'a negative number', after: Buffer.from('-1').toString('base64url') },
  { name: 'beyond all numbers', after: Buffer.from('9'.repeat(30)).toString('base64url') },
  { name: 'no UTF-8', after: Buffer.from([0x6b, 0x65, 0x79, 0x3a, 0xff]).toString('base64url') },
];

/** The operations of REST that take a cursor. */
export const lists = Object.values<Operation>(operations).filter(({ query }) =>
  Object.hasOwn(query.shape, 'after'),
);

/** The fields of GraphQL that take one. */
export const connections = Object.values(buildSchema(readFileSync(schemaFile, 'utf8')).getTypeMap())
  .filter(isObjectType)
  .flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ args }) => args.some(({ name }) => name === 'after'))
      .map(({ name }) => ({ type: type.name, field: name })),
  );
