import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, type Caller, type CreatedToken, operations, type Token } from '#contracts';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { QueryError } from '../../admin/requests/query-error.ts';
import { TokenAdministration } from '../../admin/tokens/token-administration.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing, pageOfAll } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { toCaller, toCreatedToken, toToken } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Who calls, and API tokens. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class TokensController {
  readonly #tokens: TokenAdministration;

  constructor(tokens: TokenAdministration) {
    this.#tokens = tokens;
  }

  @OperationRoute(operations.getCaller)
  getCaller(@AskedOf() { principal }: Of<'getCaller'>): Caller {
    return toCaller(principal);
  }

  @OperationRoute(operations.listTokens)
  listTokens(@AskedOf() { principal, query }: Of<'listTokens'>): Listing<Token> {
    return listing(
      query,
      (page) =>
        pageOfAll(this.#tokens.list(principal), page, {
          list: 'tokens',
          keyOf: ({ name, id }) => `${name} ${id}`,
        }),
      toToken,
    );
  }

  @OperationRoute(operations.getToken)
  getToken(@AskedOf() { principal, parameters }: Of<'getToken'>): Token {
    const found = this.#tokens.list(principal).find(({ id }) => id === parameters.id);
    if (found !== undefined) return toToken(found);
    throw new QueryError('UnknownToken', `there is no token ${parameters.id}`);
  }

  @OperationRoute(operations.createToken)
  @OperatorAction('CreateToken')
  async createToken(@AskedOf() { principal, body }: Of<'createToken'>): Promise<CreatedToken> {
    return toCreatedToken(await this.#tokens.create({ principal, ...body }));
  }

  @OperationRoute(operations.revokeToken)
  @OperatorAction('RevokeToken')
  async revokeToken(@AskedOf() asked: Of<'revokeToken'>): Promise<Token> {
    const { principal, parameters, query, requireState } = asked;
    const found = this.#tokens.list(principal).find(({ id }) => id === parameters.id);
    if (found !== undefined) requireState(toToken(found));
    return toToken(await this.#tokens.revoke({ principal, ...parameters, ...query }));
  }
}
