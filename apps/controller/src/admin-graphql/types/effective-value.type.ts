import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { ValueOrigin as ValueOriginRecord } from '#git-sync';
import type { Json } from '#kernel';
import { Commit } from './commit.type.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';

type OriginKind = ValueOriginRecord['kind'];

export const ValueOriginKind = enumOf<OriginKind>('ValueOriginKind', 'What a value comes from.', {
  Document: 'The policy’s own document writes it.',
  PolicyDefaults: 'The document leaves it out, and a PolicyDefaults fills it in.',
  UpstreamDefault:
    'Nothing writes it: the default of the HorizontalPodAutoscaler or the WatermarkPodAutoscaler.',
  PlimsollDefault: 'Nothing writes it, and neither of those kinds has the field: our own choice.',
});

/** Where a value comes from. */
@ObjectType({ description: 'Where a value comes from; a default has nothing but its kind.' })
export class ValueOrigin {
  @Field(() => ValueOriginKind, { description: 'Whether a document or a default gives the value.' })
  declare kind: OriginKind;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit whose activation brought that document into force as it is.',
  })
  declare commit: Commit | null;

  @Field(() => String, { nullable: true, description: 'The path in the repository.' })
  declare file: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Its line in that commit, from 1; null: a release put it in force that did not keep lines.',
  })
  declare line: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The path in that document, `spec.values.interval`; null of a default.',
  })
  declare path: string | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'As it is spelled there; what says several values is here whole.',
  })
  declare written: Json | null;
}

/** One value of a policy. */
@ObjectType({ description: 'One value of a policy’s effective spec, and where it comes from.' })
export class EffectiveValue {
  @Field(() => String, {
    description:
      'In the form of an AutoscalingPolicy, whichever kind the document is: spec.behavior.scaleUp.delaySeconds.',
  })
  declare path: string;

  @Field(() => JsonScalar, { description: 'What the policy is carried out with at that path.' })
  declare value: Json;

  @Field(() => ValueOrigin, { description: 'The document and line that write it, or whose default it is.' })
  declare origin: ValueOrigin;
}
