import { z } from 'zod';
import { commitSchema } from './commit.ts';
import { component, type WireOf } from './component.ts';

const valueOriginSchema = component(
  'ValueOrigin',
  'Where a value comes from; a default has nothing but its kind.',
  z.object({
    kind: z
      .enum(['Document', 'PolicyDefaults', 'UpstreamDefault', 'PlimsollDefault'])
      .describe(
        'Document: the policy’s own. UpstreamDefault: nothing writes it, and this is the default of the HorizontalPodAutoscaler or the WatermarkPodAutoscaler. PlimsollDefault: the same, of a field that neither of them has.',
      ),
    commit: commitSchema
      .nullable()
      .describe('The commit whose activation brought that document into force as it is.'),
    file: z.string().nullable().describe('The path in the repository.'),
    line: z
      .int()
      .min(1)
      .nullable()
      .describe('Its line in that commit; null: a release put it in force that did not keep lines.'),
    path: z
      .string()
      .nullable()
      .describe('The path in that document, `spec.values.interval`; null of a default.'),
    written: z.unknown().describe('As it is spelled there; what says several values is here whole.'),
  }),
);

const effectiveValueSchema = component(
  'EffectiveValue',
  'One value of a policy’s effective spec, and where it comes from.',
  z.object({
    path: z.string().describe('In the form of an AutoscalingPolicy, whichever kind the document is.'),
    value: z.unknown().describe('What the policy is carried out with at that path.'),
    origin: valueOriginSchema.describe('The document and line that write it, or whose default it is.'),
  }),
);

/** The values of a policy, and where each comes from. */
export const effectiveValuesSchema = component(
  'EffectiveValues',
  'The values of a policy’s effective spec, and where each comes from.',
  z.object({ values: z.array(effectiveValueSchema).describe('Each value of the spec, by its path.') }),
);
export type EffectiveValues = WireOf<typeof effectiveValuesSchema>;
