import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { buildOpenApi } from '#contracts';

/** Writes `openapi.json` from the contracts: `node --conditions=source scripts/generate-openapi.ts`. */
const root = new URL('../', import.meta.url);

const text = await format(JSON.stringify(buildOpenApi()), { parser: 'json', printWidth: 110 });
writeFileSync(new URL('openapi.json', root), text);
