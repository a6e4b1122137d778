import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PolicyValues } from '../../admin/history/policy-values.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { EffectiveValue } from '../types/effective-value.type.ts';
import { Policy } from '../types/policy.type.ts';
import { PolicyVersion } from '../types/revision.type.ts';

/** Where the values of policies in force come from. */
@Resolver(() => Policy)
export class PolicyValuesResolver {
  readonly #values: PolicyValues;

  constructor(values: PolicyValues) {
    this.#values = values;
  }

  @ResolveField(() => [EffectiveValue], {
    description:
      'Every value of its effective spec, and where it comes from: file and line, or whose default it is.',
  })
  effectiveValues(
    @Parent() { active }: Policy,
    @Context() { budget }: RequestContext,
  ): readonly EffectiveValue[] {
    return budget.spend(this.#values.ofActive(active));
  }
}

/** Where the values of earlier policies came from. */
@Resolver(() => PolicyVersion)
export class VersionValuesResolver {
  readonly #values: PolicyValues;

  constructor(values: PolicyValues) {
    this.#values = values;
  }

  @ResolveField(() => [EffectiveValue], {
    description:
      'Every value of its effective spec, and where it came from when this version came into force; none where this release would refuse the document.',
  })
  async effectiveValues(
    @Parent() { record }: PolicyVersion,
    @Context() { budget }: RequestContext,
  ): Promise<readonly EffectiveValue[]> {
    return budget.spend(await this.#values.ofVersion(record));
  }
}
