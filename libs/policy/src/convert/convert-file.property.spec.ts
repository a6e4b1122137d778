import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPolicyDocument } from '../documents/policy-document.ts';
import { readPolicyFile } from '../documents/policy-file.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { autoscalers, dump, watermarks } from './arbitrary-documents.fixture.ts';
import { isDroppedAnnotation } from './clean-metadata.ts';
import type { ConversionTarget } from './convert-autoscaler.ts';
import { convertFile } from './convert-file.ts';

const runs = 200;
/** Writes a document as people do: with comments, in one of several layouts. */
const layouts = fc.constantFrom(
  (value: object) => dump(value),
  (value: object) =>
    `# head\n${dump(value, { aliasDuplicateObjects: false }).replaceAll(/^(\s*\w+: \S+)$/gm, '$1 # why')}`,
  (value: object) =>
    dump(value, { indentSeq: false, defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' }),
  (value: object) => `---\n${JSON.stringify(value)}\n`,
  (value: object) => dump(value).replaceAll('\n', '\r\n'),
);

function read(text: string): EffectivePolicy {
  const { documents } = readPolicyFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text) });
  const [first] = documents.map((each) => readPolicyDocument(each));
  if (first?.policy === undefined) throw new Error(`${JSON.stringify(first?.diagnostics)}\n${text}`);
  return first.policy;
}

/** A policy without what conversion is meant to change. */
function meaningOf(policy: EffectivePolicy): object {
  const kept = Object.entries(policy.annotations).filter(([key]) => !isDroppedAnnotation(key));
  return { ...policy, kind: '', annotations: Object.fromEntries(kept) };
}

function convert(text: string, to: ConversionTarget): ReturnType<typeof convertFile> {
  return convertFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text), to });
}

describe('conversion', () => {
  it('keeps what a HorizontalPodAutoscaler of any version means, or says what it does not keep', () => {
    fc.assert(
      fc.property(autoscalers, layouts, (value, write) => {
        const text = write(value);
        const before = read(text);
        const { text: written, diagnostics } = convert(text, 'AutoscalingPolicy');
        const after = read(written);
        expect(after.kind).toBe('AutoscalingPolicy');
        expect(diagnostics).toHaveLength(before.behavior.isSet ? 0 : 1);
        const carried = before.behavior.isSet ? after : { ...after, behavior: before.behavior };
        expect(meaningOf(carried)).toEqual(meaningOf(before));
      }),
      { numRuns: runs },
    );
  });

  it('keeps what an older HorizontalPodAutoscaler means in autoscaling/v2', () => {
    fc.assert(
      fc.property(autoscalers, layouts, (value, write) => {
        const text = write(value);
        const { text: written, diagnostics } = convert(text, 'autoscaling/v2');
        expect(diagnostics).toEqual([]);
        expect(read(written).kind).toBe('HorizontalPodAutoscaler');
        expect(meaningOf(read(written))).toEqual(meaningOf(read(text)));
      }),
      { numRuns: runs },
    );
  });

  it('keeps what a WatermarkPodAutoscaler means', () => {
    fc.assert(
      fc.property(watermarks, layouts, (value, write) => {
        const text = write(value);
        expect(meaningOf(read(convert(text, 'AutoscalingPolicy').text))).toEqual(meaningOf(read(text)));
      }),
      { numRuns: runs },
    );
  });
});
