import type { Type } from '@nestjs/common';
import { createUnionType, Field, ObjectType } from '@nestjs/graphql';
import type { ActionEffect as Effect, Answer } from '../../admin/requests/action-effect.ts';
import type { QueryError, QueryErrorCode } from '../../admin/requests/query-error.ts';
import { ActionEffect, ActionPreview, toActionEffect } from './action-effect.type.ts';
import { enumOf } from './enum-of.ts';
import { errorMeanings } from './error-meanings.ts';
import { Intervention, toIntervention } from './intervention.type.ts';

export const ErrorCode = enumOf<QueryErrorCode>(
  'ErrorCode',
  'What a caller can get wrong; the REST API and `extensions.code` of errors have the same codes.',
  errorMeanings,
);

/** Why an action was not carried out. */
@ObjectType({
  description: 'Why an action was not carried out. Nothing has changed; the refusal is in the ledger.',
})
export class ActionRefusal {
  @Field(() => ErrorCode, { description: 'Stable: programs go by it.' })
  readonly code: QueryErrorCode;

  @Field(() => String, { description: 'For people; it names the value and the bound.' })
  readonly message: string;

  @Field(() => ActionEffect, {
    nullable: true,
    description: 'What the action would do now, where that is why.',
  })
  readonly effect: ActionEffect | null;

  @Field(() => Intervention, {
    nullable: true,
    description: 'What another operator did before, where that is why.',
  })
  readonly standing: Intervention | null;

  constructor({ code, message, details }: Pick<QueryError, 'code' | 'message' | 'details'>) {
    this.code = code;
    this.message = message;
    this.effect = details.effect === undefined ? null : toActionEffect(details.effect);
    this.standing = details.standing === undefined ? null : toIntervention(details.standing);
  }
}

/** Makes the result type of mutations that answer with `type`: that, a preview, or a refusal. */
export function actionResult<T>(type: Type<T>, description: string): T {
  return createUnionType({
    name: `${type.name}Action`,
    description,
    types: () => [type, ActionPreview, ActionRefusal] as const,
    resolveType: (value: unknown) => {
      if (value instanceof ActionRefusal) return ActionRefusal.name;
      return value instanceof ActionPreview ? ActionPreview.name : type.name;
    },
  }) as T;
}

/** The answer of an action: its result, or what it would do. */
export function answerOf<T, F>(
  { result, effect }: Answer<T>,
  shape: (result: T, effect: Effect) => F,
): F | ActionPreview {
  return result === null ? new ActionPreview(effect) : shape(result, effect);
}
