import { ArgsType, Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import type {
  CreatedToken as CreatedTokenRecord,
  TokenView,
} from '../../admin/tokens/token-administration.ts';
import type { Role } from '../../auth/callers/principal.ts';
import { actionResult } from './action-result.ts';
import { RoleName } from './role.enum.ts';

const namespacesDescription =
  'Names, or patterns with *; * alone is every namespace, and what belongs to none.';

/** A role, and where it holds. */
@ObjectType({ description: 'A role, and the namespaces that it holds in.' })
export class Grant {
  @Field(() => RoleName, { description: 'What the caller may do there.' })
  declare role: Role;

  @Field(() => [String], { description: namespacesDescription })
  declare namespaces: readonly string[];
}

/** A role, and where it is to hold. */
@InputType({ description: 'A role, and the namespaces that it is to hold in.' })
export class GrantInput {
  @Field(() => RoleName, { description: 'What its bearer may do there.' })
  declare role: Role;

  @Field(() => [String], { description: namespacesDescription })
  declare namespaces: string[];
}

/** An API token, without the token. */
@ObjectType({ description: 'An API token that was made through the API; the token itself is shown once.' })
export class Token {
  @Field(() => ID, { description: 'Give it to `revokeToken`; it is no secret.' })
  declare id: string;

  @Field(() => String, {
    description: '`ann/ci`: its owner, and what it is called; the actor in the ledger.',
  })
  declare name: string;

  @Field(() => String, { description: 'Who made it, or made the token that made it.' })
  declare owner: string;

  @Field(() => [Grant], { description: 'What its bearer may do, and where.' })
  declare grants: readonly Grant[];

  @Field(() => String, { description: 'When it was made, RFC 3339.' })
  declare createdAt: string;

  @Field(() => String, { description: 'RFC 3339; from then on it is refused.' })
  declare expiresAt: string;

  @Field(() => String, { nullable: true, description: 'RFC 3339; null: it is not revoked.' })
  declare revokedAt: string | null;

  @Field(() => String, { nullable: true, description: 'RFC 3339, to the minute; null: it was never used.' })
  declare lastUsedAt: string | null;
}

/** A token that was made. */
@ObjectType({ description: 'A token that was made. Keep it: it is shown this once.' })
export class CreatedToken {
  @Field(() => String, { description: 'Sent as `Authorization: Bearer …`.' })
  declare secret: string;

  @Field(() => Token, { description: 'What is known of it from now on.' })
  declare token: Token;
}

export const CreatedTokenAction = actionResult(CreatedToken, 'The token that was made, or why none was.');
export const TokenAction = actionResult(Token, 'The token that was revoked, or why it was not.');

const reason = 'A sentence for the readers of the ledger; at most 1,000 characters.';

/** A token that is to be made. */
@ArgsType()
export class TokenArguments {
  @Field(() => String, { description: 'What it is for: lower-case letters, digits and -.' })
  declare name: string;

  @Field(() => [GrantInput], { description: 'No more than the caller has.' })
  declare grants: GrantInput[];

  @Field(() => String, { description: 'When it is refused from, RFC 3339 with its zone.' })
  declare expires: string;

  @Field(() => String, { description: reason })
  declare reason: string;
}

/** Which token. */
@ArgsType()
export class TokenRevocationArguments {
  @Field(() => ID, { description: 'Which one, as `tokens` lists it.' })
  declare id: string;

  @Field(() => String, { description: reason })
  declare reason: string;
}

/** The GraphQL form of a token. */
export function toToken({
  id,
  name,
  owner,
  grants,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
}: TokenView): Token {
  return { id, name, owner, grants, createdAt, expiresAt, revokedAt, lastUsedAt };
}

/** The GraphQL form of a token that was made. */
export function toCreatedToken({ token, view }: CreatedTokenRecord): CreatedToken {
  return { secret: token, token: toToken(view) };
}
