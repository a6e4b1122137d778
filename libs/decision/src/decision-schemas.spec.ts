import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { decide } from './decide.ts';
import { decisionSchemas } from './decision-schemas.ts';
import { parseDecideInput } from './input/parse-decide-input.ts';
import { arbitraryInput } from './testing/arbitrary-input.ts';

function validator(name: string): (value: unknown) => string {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(decisionSchemas[name] ?? {});
  return (value) => (validate(value) ? '' : ajv.errorsText(validate.errors));
}

describe('decisionSchemas', () => {
  it('accept every input that is read, and every output', () => {
    const [input, output] = [validator('decide-input'), validator('decision')];
    fc.assert(
      fc.property(arbitraryInput, (raw) => {
        const value: unknown = JSON.parse(JSON.stringify(raw));
        expect(input(value)).toBe('');
        const parsed = parseDecideInput(value);
        if (!parsed.ok) throw new Error(parsed.error.message);
        expect(output(JSON.parse(JSON.stringify(decide(parsed.value))))).toBe('');
      }),
      { numRuns: 100 },
    );
  });

  it('refuse what the checks refuse', () => {
    const validate = validator('decide-input');
    const observation = { time: '2026-11-20T12:00:00Z', scale: { specReplicas: 1 } };
    expect(validate({ policy: {}, observation })).toBe('');
    expect(validate({ policy: {}, observation: { ...observation, scale: {} } })).not.toBe('');
    expect(validate({ policy: {}, observation: { ...observation, pods: [{}] } })).not.toBe('');
    expect(validate({ policy: {}, observation, settings: { tolerance: null } })).not.toBe('');
    expect(validate({ policy: {}, observation, memory: { scaleUpEvents: [{}] } })).not.toBe('');
  });
});
