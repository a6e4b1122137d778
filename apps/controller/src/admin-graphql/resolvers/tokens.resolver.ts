import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { TokenAdministration } from '../../admin/tokens/token-administration.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import {
  type CreatedToken,
  CreatedTokenAction,
  toCreatedToken,
  Token,
  TokenAction,
  TokenArguments,
  TokenRevocationArguments,
  toToken,
} from '../types/token.type.ts';
import { ActionMutation } from './action-mutation.decorator.ts';

/** API tokens. */
@Resolver(() => Token)
export class TokensResolver {
  readonly #tokens: TokenAdministration;

  constructor(tokens: TokenAdministration) {
    this.#tokens = tokens;
  }

  @Roles('viewer')
  @Query(() => [Token], {
    description:
      'The caller’s own API tokens, newest first; to an administrator of all namespaces, everyone’s. Expired ones are shown for 90 days.',
  })
  tokens(@Context() { principal }: RequestContext): readonly Token[] {
    return this.#tokens.list(principal).map(toToken);
  }

  @ActionMutation(
    'viewer',
    () => CreatedTokenAction,
    'Makes an API token that may do no more than its maker, nor for longer.',
  )
  @OperatorAction('CreateToken')
  async createToken(
    @Args() args: TokenArguments,
    @Context() { principal }: RequestContext,
  ): Promise<CreatedToken> {
    return toCreatedToken(await this.#tokens.create({ principal, ...args }));
  }

  @ActionMutation(
    'viewer',
    () => TokenAction,
    'Revokes an API token, and those that were made with it: one’s own, or, as an administrator of all namespaces, any.',
  )
  @OperatorAction('RevokeToken')
  async revokeToken(
    @Args() args: TokenRevocationArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Token> {
    return toToken(await this.#tokens.revoke({ principal, ...args }));
  }
}
