import { mkdirSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { decisionSchemas } from '#decision';
import { policySchemas } from '#policy';

/** Writes a JSON Schema a kind to `schemas/`: `node --conditions=source scripts/generate-schemas.ts`. */
const folder = new URL('../schemas/', import.meta.url);

mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...policySchemas, ...decisionSchemas })) {
  const text = await format(JSON.stringify(schema), { parser: 'json', printWidth: 110 });
  writeFileSync(new URL(`${name}.json`, folder), text);
}
