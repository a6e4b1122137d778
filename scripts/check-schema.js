// Refuses a schema.graphql that breaks clients of schema.released.graphql: each release, and a commit that accepts a break
// (CONTRIBUTING.md), copies the one over the other.
import { readFile } from 'node:fs/promises';
import { buildSchema, findBreakingChanges } from 'graphql';

const [released, current] = await Promise.all(['schema.released.graphql', 'schema.graphql'].map(read));
const changes = findBreakingChanges(released, current);
for (const { type, description } of changes)
  console.error(`schema.graphql breaks clients: ${type}: ${description}`);
if (changes.length > 0) process.exitCode = 1;

async function read(name) {
  return buildSchema(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'));
}
