import { Field, ObjectType } from '@nestjs/graphql';

/** The object that a policy scales. */
@ObjectType({ description: 'The object that a policy scales; it is in the policy’s namespace.' })
export class ScaleTarget {
  @Field(() => String, { description: 'Group and version in Kubernetes: `apps/v1`.' })
  declare apiVersion: string;

  @Field(() => String, { description: 'Deployment, StatefulSet, or any other with a scale subresource.' })
  declare kind: string;

  @Field(() => String, { description: 'What it is called, in the policy’s namespace.' })
  declare name: string;
}
