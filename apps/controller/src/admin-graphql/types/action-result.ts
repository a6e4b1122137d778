import type { Type } from '@nestjs/common';
import { createUnionType, Field, ObjectType } from '@nestjs/graphql';
import { type QueryError, type QueryErrorCode, queryErrorCodes } from '../../admin/query-error.ts';
import { enumOf } from './enum-of.ts';

export const ErrorCode = enumOf(
  'ErrorCode',
  queryErrorCodes,
  'What a caller can get wrong; the REST API and `extensions.code` of errors have the same codes.',
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

  constructor({ code, message }: Pick<QueryError, 'code' | 'message'>) {
    this.code = code;
    this.message = message;
  }
}

/** Makes the result type of mutations that answer with `type`: that, or a refusal. */
export function actionResult<T>(type: Type<T>, description: string): T {
  return createUnionType({
    name: `${type.name}Action`,
    description,
    types: () => [type, ActionRefusal] as const,
    resolveType: (value: unknown) => (value instanceof ActionRefusal ? ActionRefusal.name : type.name),
  }) as T;
}
