import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { policyBytes } from '../../../../test/support/policy-texts.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { readPolicyDocument } from './policy-document.ts';
import { readPolicyFile } from './policy-file.ts';

/** Some thousands by default; PLIMSOLL_FUZZ_RUNS=1000000 is the long run, from PLIMSOLL_FUZZ_FROM on. */
const runs = Number(process.env['PLIMSOLL_FUZZ_RUNS'] ?? '3000');
const from = Number(process.env['PLIMSOLL_FUZZ_FROM'] ?? '0');
/** A minute of the long run: each part reports by itself. */
const runsAPart = 50_000;
const timeoutMilliseconds = 3_600_000;

const parts = Array.from({ length: Math.ceil(runs / runsAPart) }, (_, index) => ({
  first: from + index * runsAPart,
  last: from + Math.min(runs, (index + 1) * runsAPart) - 1,
}));

/** How deep the texts of a run reached. */
interface Reach {
  broken: number;
  whole: number;
  policies: number;
}

/** Reads a file as the controller does and says what is wrong with how it was read. */
function faultOf(bytes: Uint8Array, reach: Reach): string | undefined {
  const file = readPolicyFile({ file: 'f.yaml', bytes, isInForce: true });
  reach[file.diagnostics.length > 0 ? 'broken' : 'whole']++;
  const found: Diagnostic[] = [...file.diagnostics];
  for (const document of file.documents) {
    found.push(...document.diagnostics);
    if (document.identity.kind !== 'policy' || document.isBroken) continue;
    const { policy, diagnostics } = readPolicyDocument(document);
    found.push(...diagnostics);
    if (policy !== undefined) reach.policies++;
    const hasError = diagnostics.some(({ severity }) => severity === 'error');
    if (hasError === (policy !== undefined))
      return hasError ? 'a policy with an error' : 'no policy, no error';
  }
  return found.length === 0 ? undefined : placeFault(bytes, found);
}

/** A position outside the file, whose lines end with a line feed. */
function placeFault(bytes: Uint8Array, found: readonly Diagnostic[]): string | undefined {
  const lines = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\n');
  const outside = found.find(({ line, column }) => {
    const length = lines[line - 1]?.length;
    return length === undefined || column < 1 || column > length + 1;
  });
  return outside && `${outside.code} at ${outside.line}:${outside.column}, outside the file`;
}

function judge(number: number, reach: Reach): void {
  const bytes = policyBytes(number);
  let fault: string | undefined;
  try {
    fault = faultOf(bytes, reach);
  } catch (error) {
    fault = `threw ${String(error)}`;
  }
  if (fault === undefined) return;
  throw new Error(`text ${number}: ${fault}\n${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`);
}

describe('reading any bytes', () => {
  it.each(parts)(
    'throws nothing, and stays inside the file, on texts $first to $last',
    ({ first, last }) => {
      const reach: Reach = { broken: 0, whole: 0, policies: 0 };
      for (let number = first; number <= last; number++) judge(number, reach);
      // Texts that all end at the first mark would prove nothing about what lies behind it.
      expect(reach.whole / (last - first + 1)).toBeGreaterThan(0.25);
      expect(reach.policies / (last - first + 1)).toBeGreaterThan(0.15);
    },
    timeoutMilliseconds,
  );

  it(
    'throws nothing on bytes that are no text',
    () => {
      const reach: Reach = { broken: 0, whole: 0, policies: 0 };
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => faultOf(bytes, reach) === undefined),
        { numRuns: Math.ceil(runs / 3) },
      );
    },
    timeoutMilliseconds,
  );
});
