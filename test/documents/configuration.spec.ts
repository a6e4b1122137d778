import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { configurationSchema } from '#configuration';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'configuration.md'), 'utf8');

/** The last words of every code span: `listen.port` is about `port`. */
const named = new Set(
  [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => [
    code,
    code.slice(code.lastIndexOf('.') + 1),
  ]),
);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function namesIn({ properties = {}, items }: Schema): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [name, ...namesIn(schema)]);
  return items === undefined ? own : [...own, ...namesIn(items)];
}

describe('docs/configuration.md', () => {
  it('names every setting, those of items of lists included', () => {
    const names = namesIn(
      z.toJSONSchema(configurationSchema, { io: 'input', unrepresentable: 'any' }) as Schema,
    );
    expect(names.length).toBeGreaterThan(90);
    expect([...new Set(names)].filter((name) => !named.has(name))).toEqual([]);
  });
});
