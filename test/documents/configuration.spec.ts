import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { configurationSchema, isReloadable, listSettings } from '#configuration';

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

  it('says of every setting whether it applies without a restart', () => {
    const rows = settingRows();
    const settings = listSettings().map(({ path }) => path.join('.'));
    const said = settings.map((setting) => {
      const row = rows.find(({ name }) => setting === name || setting.startsWith(`${name}.`));
      return [setting, row?.reload.replace(/,.*/, '')];
    });
    expect(said).toEqual(settings.map((setting) => [setting, isReloadable(setting) ? 'yes' : 'restart']));
  });
});

/** The rows of tables of settings: below the heading of a section, names are those of its settings. */
function settingRows(): readonly { readonly name: string; readonly reload: string }[] {
  return text.split(/^## /m).flatMap((section) => {
    const heading = /^`([a-z]+)`$/.exec(section.split('\n', 1)[0] ?? '')?.[1];
    const rows = [...section.matchAll(/^\| (`[^|]+) \| [^|]+ \| ((?:yes|restart)[^|]*) \|/gm)];
    return rows.flatMap(([, names = '', reload = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({
        name: heading === undefined ? name : `${heading}.${name}`,
        reload,
      })),
    );
  });
}
