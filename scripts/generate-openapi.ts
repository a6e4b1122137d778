import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { buildOpenApi } from '#contracts';

/** Writes `openapi.json` from the contracts: `node --conditions=source scripts/generate-openapi.ts`. */
const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };

const text = await format(JSON.stringify(buildOpenApi(version)), { parser: 'json', printWidth: 110 });
writeFileSync(new URL('openapi.json', root), text);
