// Makes a dictionary for the ledger's decisions from recorded ones:
//
//   node scripts/train-ledger-dictionary.mjs VERSION LEDGER.db…
//
// It needs the `zstd` command. A dictionary that a release has used is never changed, since entries that were packed
// with it are read with it: another one gets the next version.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

const maximumBytes = 16 * 1024;
/** So that a policy that decides often does not fill the dictionary with its own names. */
const decisionsPerStream = 12;
const lineLength = 100;

const [version, ...files] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(version ?? '') || files.length === 0) {
  process.stderr.write('usage: node scripts/train-ledger-dictionary.mjs VERSION LEDGER.db…\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-dictionary-'));
try {
  const samples = files.flatMap(payloadsOf).flatMap(parts);
  for (const [index, sample] of samples.entries()) writeFileSync(join(folder, `${index}.json`), sample);
  const output = join(folder, 'dictionary');
  const options = ['-q', '--train', '-r', folder, `--maxdict=${maximumBytes}`, `--dictID=${version}`];
  execFileSync('zstd', [...options, '-o', output], { stdio: 'inherit' });
  writeFileSync(target(), moduleOf(readFileSync(output)));
  process.stdout.write(`${target()}: from ${samples.length} samples\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Decisions over 100 pods fill a dictionary with names, so each stream gives those at its beginning, evenly spread. */
function payloadsOf(file) {
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare(
      "SELECT stream_id AS stream, payload FROM ledger_entry WHERE kind = 'Decision' AND payload <> '' ORDER BY position",
    )
    .all();
  database.close();
  const byStream = Map.groupBy(rows, ({ stream }) => stream);
  return [...byStream.values()].flatMap((of) => {
    const step = Math.max(1, Math.floor(of.length / decisionsPerStream));
    return of.filter((_, index) => index % step === 0).slice(0, decisionsPerStream);
  });
}

/** The two texts that are packed of a decision: the payload without its observation, and the observation. */
function parts({ payload }) {
  const { input, ...rest } = JSON.parse(payload);
  const { observation, ...around } = input;
  return [
    JSON.stringify(sorted({ ...rest, input: { ...around, observation: 'sha256:' } })),
    JSON.stringify(observation),
  ];
}

function sorted(object) {
  return Object.fromEntries(
    Object.entries(object)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, key === 'input' ? sorted(value) : value]),
  );
}

function target() {
  return join(
    dirname(fileURLToPath(import.meta.url)),
    `../libs/adapter-sql/src/packing/dictionary-${version}.ts`,
  );
}

function moduleOf(bytes) {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return [
    '// Made by scripts/train-ledger-dictionary.mjs. Entries are read with it: it is never changed.',
    '',
    '/** Dictionary of zstd, in base64. */',
    `export const dictionary${version} =`,
    lines.map((line) => `  '${line}'`).join(' +\n') + ';',
    '',
  ].join('\n');
}
