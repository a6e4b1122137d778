import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { WindowView } from '../../admin/policies/window-view.ts';
import { enumOf } from './enum-of.ts';
import { ScalingDirection } from './intervention.type.ts';

type Kind = WindowView['kind'];

const WindowKind = enumOf<Kind>('WindowKind', 'What a window of a document does.', {
  Schedule: 'It replaces the bounds that it names.',
  Freeze: 'It stops a direction.',
});

/** A schedule or a freeze of a document that is in force. */
@ObjectType({ description: 'A schedule or a freeze of a document that is in force.' })
export class Window {
  @Field(() => WindowKind, { description: 'What it does.' })
  declare kind: Kind;

  @Field(() => String, { description: 'What it is called in the document.' })
  declare name: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The fewest replicas while it lasts; null: the policy’s own, or a freeze.',
  })
  declare minReplicas: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The most replicas while it lasts; null: the policy’s own, or a freeze.',
  })
  declare maxReplicas: number | null;

  @Field(() => ScalingDirection, { nullable: true, description: 'What a freeze stops; null: a schedule.' })
  declare direction: WindowView['direction'];

  @Field(() => String, { nullable: true, description: 'When it began, RFC 3339.' })
  declare since: string | null;

  @Field(() => String, { nullable: true, description: 'When it ends, RFC 3339.' })
  declare until: string | null;
}
