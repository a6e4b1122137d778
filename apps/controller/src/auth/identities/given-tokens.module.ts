import { type DynamicModule, Module } from '@nestjs/common';
import { portToken } from '../../provider.ts';
import type { AdministratorToken } from './administrator-token.ts';
import type { TokenRecord } from './token-authenticator.ts';

export const apiTokensToken = portToken<readonly TokenRecord[]>('ApiTokens');
/** Null: tokens are configured, or whoever starts the controller shows its own. */
export const administratorTokenToken = portToken<AdministratorToken | null>('AdministratorToken');

/** The tokens that one process is started with. */
export interface GivenTokens {
  readonly tokens: readonly TokenRecord[];
  /** One of them, which is shown once the API serves. */
  readonly administratorToken?: AdministratorToken | null;
}

/** Makes the given tokens known to every module. */
@Module({})
export class GivenTokensModule {
  static forRoot({ tokens, administratorToken = null }: GivenTokens): DynamicModule {
    const providers = [
      { provide: apiTokensToken, useValue: tokens },
      { provide: administratorTokenToken, useValue: administratorToken },
    ];
    return { module: GivenTokensModule, global: true, providers, exports: providers };
  }
}
