import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, type EffectiveValues, operations } from '#contracts';
import { PolicyValues } from '../../admin/history/policy-values.ts';
import { PolicyQueries } from '../../admin/policies/policy-queries.ts';
import { SourceQueries } from '../../admin/sources/source-queries.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { notInForce } from '../answers/not-in-force.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** What a policy comes to, value by value, and where each is from. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class EffectiveValuesController {
  readonly #policies: PolicyQueries;
  readonly #sources: SourceQueries;
  readonly #values: PolicyValues;

  constructor(policies: PolicyQueries, sources: SourceQueries, values: PolicyValues) {
    this.#policies = policies;
    this.#sources = sources;
    this.#values = values;
  }

  @OperationRoute(operations.getEffectiveValues)
  async getEffectiveValues(
    @AskedOf() { principal, parameters, query }: Of<'getEffectiveValues'>,
  ): Promise<EffectiveValues> {
    if (query.time === undefined) {
      const found = await this.#policies.findPolicy(principal, parameters);
      if (found === null) throw notInForce(parameters);
      return { values: this.#values.ofActive(found.active) };
    }
    const version = await this.#sources.findPolicyAt(principal, parameters, query.time);
    if (version === undefined) throw notInForce(parameters, ` at ${query.time}`);
    return { values: await this.#values.ofVersion(version) };
  }
}
