import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './bench.ts';

/** Benches by name, loaded when they are asked for. Add one here, and a file beside this one. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  decide: async () => (await import('./decide.bench.ts')).decideBench,
  sync: async () => (await import('./sync.bench.ts')).syncBench,
  audit: async () => (await import('./audit.bench.ts')).auditBench,
  api: async () => (await import('./api.bench.ts')).apiBench,
  ledger: async () => (await import('./ledger.bench.ts')).ledgerBench,
  series: async () => (await import('./series.bench.ts')).seriesBench,
  report: async () => (await import('./report.bench.ts')).reportBench,
  sources: async () => (await import('./sources.bench.ts')).sourcesBench,
  sweep: async () => (await import('./sweep/sweep.bench.ts')).sweepBench,
  soak: async () => (await import('./soak/soak.bench.ts')).soakBench,
  console: async () => (await import('./console.bench.ts')).consoleBench,
  failover: async () => (await import('./replicas/failover.bench.ts')).failoverBench,
  ending: async () => (await import('./replicas/ending.bench.ts')).endingBench,
  replicas: async () => (await import('./replicas/replicas.bench.ts')).replicasBench,
  webhook: async () => (await import('./webhook.bench.ts')).webhookBench,
};

const usage = `npm run bench -- [NAME …] [options]

Measures what the benches of these names measure, or all of them, and prints each case as it is ready.

  --list          what each bench measures
  --json          a line of JSON per case
  --policies N    sweep, replicas, failover, ending, console: so many policies
  --half WHAT     sweep: what half of the policies are, OwnerReference or HorizontalPodAutoscaler
  --cases A,B     sweep, api, ledger, failover, console: these cases alone
  --sweeps N      sweep, replicas: so many sweeps per case
  --days N        soak: so many simulated days
  --replicas N    replicas: this number of controllers alone
  --help          this text

Benches: ${Object.keys(benches).join(', ')}. docs/performance.md says what they found.
`;

const options = {
  help: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  policies: { type: 'string' },
  half: { type: 'string' },
  cases: { type: 'string' },
  sweeps: { type: 'string' },
  days: { type: 'string' },
  replicas: { type: 'string' },
} as const;

try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const names = positionals.length === 0 ? Object.keys(benches) : positionals;
  const unknown = names.filter((name) => !Object.hasOwn(benches, name));
  if (values.help) process.stdout.write(usage);
  else if (unknown.length > 0) refuse(`no bench is named ${unknown.join(', ')}`);
  else for (const name of names) await (values.list ? listBench(name) : runBench(name, values));
} catch (error) {
  if (!isOfTheCommandLine(error)) throw error;
  refuse(error.message);
}

function isOfTheCommandLine(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function refuse(reason: string): void {
  process.stderr.write(`bench: ${reason}\n\n${usage}`);
  process.exitCode = 2;
}

async function listBench(name: string): Promise<void> {
  const bench = await benches[name]?.();
  if (bench !== undefined) process.stdout.write(`${name}: ${bench.description}\n`);
}

async function runBench(name: string, options: BenchOptions & { readonly json: boolean }): Promise<void> {
  const bench = await benches[name]?.();
  if (bench === undefined) return;
  if (!options.json) process.stdout.write(`${name}: ${bench.description}\n`);
  for await (const result of bench.run(options)) {
    const line = options.json ? JSON.stringify(result) : describe(result);
    process.stdout.write(`${line}\n`);
  }
}

function describe(result: Readonly<Record<string, string | number>>): string {
  const parts = Object.entries(result).map(([key, value]) => `${key} ${format(value)}`);
  return `  ${parts.join('  ')}`;
}

function format(value: string | number): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 1 }) : value;
}
