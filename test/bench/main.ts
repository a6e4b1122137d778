import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';

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
  replicas: async () => (await import('./replicas/replicas.bench.ts')).replicasBench,
  webhook: async () => (await import('./webhook.bench.ts')).webhookBench,
};

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    policies: { type: 'string' },
    half: { type: 'string' },
    cases: { type: 'string' },
    sweeps: { type: 'string' },
    days: { type: 'string' },
    replicas: { type: 'string' },
  },
  allowPositionals: true,
});
const names = positionals.length === 0 ? Object.keys(benches) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no bench named ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`,
  );
  process.exitCode = 2;
} else {
  for (const name of names) await (values.list ? listBench(name) : runBench(name));
}

async function listBench(name: string): Promise<void> {
  const bench = await benches[name]?.();
  if (bench !== undefined) process.stdout.write(`${name}: ${bench.description}\n`);
}

async function runBench(name: string): Promise<void> {
  const bench = await benches[name]?.();
  if (bench === undefined) return;
  if (!values.json) process.stdout.write(`${name}: ${bench.description}\n`);
  for await (const result of bench.run(values)) {
    const line = values.json ? JSON.stringify(result) : describe(result);
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
