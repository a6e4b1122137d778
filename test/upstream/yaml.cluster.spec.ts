import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mentionsPolicyKind, readPolicyFile } from '#policy';
import { policyText } from '../support/policy-texts.ts';

const cases = Number(process.env['PLIMSOLL_UPSTREAM_CASES'] ?? 2_000);
const seed = Number(process.env['PLIMSOLL_UPSTREAM_SEED'] ?? 0);
/** Texts a run of the program: bounds what is in memory at once. */
const batch = 5_000;
const buildTimeoutMilliseconds = 300_000;
const runTimeoutMilliseconds = 3_600_000;

/** What kubectl would apply of a text, or why it stops. */
interface KubectlReading {
  readonly docs: readonly unknown[] | null;
  readonly err?: string;
}

let program = '';

beforeAll(() => {
  const build = join(import.meta.dirname, 'build-yaml.mjs');
  program = execFileSync(process.execPath, [build], { encoding: 'utf8' }).trim();
}, buildTimeoutMilliseconds);

/** @see docs/spec/yaml.md */
describe('what is read without an error', () => {
  it(
    `kubectl reads as the same values, in ${String(cases)} generated texts`,
    () => {
      let accepted = 0;
      for (let done = 0; done < cases; done += batch) {
        const texts = Array.from({ length: Math.min(batch, cases - done) }, (_, index) =>
          wellFormed(policyText(seed + done + index)),
        );
        for (const [index, reading] of askKubectl(texts).entries())
          if (expectAgreement(texts[index] ?? '', reading)) accepted++;
      }
      // A reader that refused everything would agree always.
      expect(accepted).toBeGreaterThan(cases / 10);
    },
    runTimeoutMilliseconds,
  );
});

/** Whether both took the text; documents that name none of our kinds do not matter. */
function expectAgreement(text: string, kubectl: KubectlReading): boolean {
  const { values: documents, hasOthers } = readingOf(text);
  if (documents === undefined || isKnownDifference(text)) return false;
  // An error in what is not ours stops kubectl, and not us.
  if (hasOthers && kubectl.err !== undefined) return false;
  if (documents.length > 0) expect({ text, err: kubectl.err }).toEqual({ text, err: undefined });
  expect({ text, documents }).toEqual({ text, documents: (kubectl.docs ?? []).flatMap(oursOf) });
  return documents.length > 0;
}

/** Several documents: an error in one that is not ours, and not even kept as another, stops kubectl. `...` and lists below `?`: documented. */
function isKnownDifference(text: string): boolean {
  return /\n---|^---[^]*\n---|(?:^|\n)\.\.\.|\n *\? /.test(text) || !mentionsPolicyKind(text);
}

/** The values of the documents that are ours, a List's items by themselves; undefined where something is wrong. */
function readingOf(text: string): {
  readonly values: readonly unknown[] | undefined;
  readonly hasOthers: boolean;
} {
  const { documents, diagnostics, others } = readPolicyFile({
    file: 'f.yaml',
    bytes: new TextEncoder().encode(text),
    isInForce: true,
  });
  const found = [...diagnostics, ...documents.flatMap(({ diagnostics: own }) => own)];
  const isWrong = found.some(({ severity }) => severity === 'error');
  const values = isWrong ? undefined : documents.map(({ value }) => comparable(value));
  return { values, hasOthers: others.length > 0 };
}

/** As kubectl's own flattening of lists, for documents that we take. */
function oursOf(value: unknown): readonly unknown[] {
  if (isMap(value) && value['apiVersion'] === 'v1' && value['kind'] === 'List')
    return Array.isArray(value['items']) ? value['items'].flatMap(oursOf) : [];
  return isMap(value) && kinds.has(String(value['kind'])) ? [comparable(value)] : [];
}

const kinds: ReadonlySet<string> = new Set([
  'HorizontalPodAutoscaler',
  'WatermarkPodAutoscaler',
  'AutoscalingPolicy',
  'PolicyDefaults',
  'PolicyGuardrail',
]);

/** Without the status, which is not compared here, and with every number as a float. */
function comparable(value: unknown): unknown {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
  const plain: unknown = JSON.parse(json);
  if (isMap(plain)) delete plain['status'];
  return plain;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Half a character cannot be written to a file. */
function wellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

function askKubectl(texts: readonly string[]): readonly KubectlReading[] {
  const input = texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  const { stdout } = spawnSync(program, [], { input: Buffer.concat(input), maxBuffer: 1 << 28 });
  const answers = stdout.toString().trimEnd().split('\n');
  expect(answers).toHaveLength(texts.length);
  return answers.map((answer) => JSON.parse(answer) as KubectlReading);
}
