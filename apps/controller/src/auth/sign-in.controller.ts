import { Body, Controller, Get, HttpStatus, Inject, NotFoundException, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressGroup } from '../http/address-group.ts';
import { sendProblem } from '../http/problem.ts';
import { portToken } from '../provider.ts';
import type { BrowserSignIn } from './browser-sign-in.ts';
import { tooManyFailures, unauthenticated } from './request-gate.ts';
import { RequestLimits } from './request-limits.ts';
import { Roles } from './roles.decorator.ts';
import { maximumTokenCharacters } from './token-authenticator.ts';
import { isFromOurPage, TokenSessions } from './token-sessions.ts';

/** Null: nobody signs in with a browser. */
export const browserSignInToken = portToken<BrowserSignIn | null>('BrowserSignIn');

/** A page of our own: a redirect from another site would not carry the session's cookie. */
const signedInPage =
  '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Plimsoll</title><a href="/">Plimsoll</a>\n';

const credentials = z.strictObject({ token: z.string().min(1).max(maximumTokenCharacters) });

/** Signing in with a browser: at the OpenID provider, or with a token. */
@Controller('auth')
export class SignInController {
  readonly #signIn: BrowserSignIn | null;
  readonly #sessions: TokenSessions;
  readonly #limits: RequestLimits;

  constructor(
    @Inject(browserSignInToken) signIn: BrowserSignIn | null,
    sessions: TokenSessions,
    limits: RequestLimits,
  ) {
    this.#signIn = signIn;
    this.#sessions = sessions;
    this.#limits = limits;
  }

  @Post('session')
  async begin(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const given = credentials.safeParse(body);
    const cookie =
      given.success && isFromOurPage(request.headers)
        ? await this.#sessions.begin(given.data.token, request)
        : undefined;
    if (cookie === undefined) await this.#refuse(request, reply);
    else await reply.code(HttpStatus.NO_CONTENT).header('set-cookie', cookie).send();
  }

  @Get('login')
  async login(@Res() reply: FastifyReply): Promise<void> {
    try {
      const { location, cookie } = await this.#required().begin();
      await reply.header('set-cookie', cookie).redirect(location, HttpStatus.FOUND);
    } catch (error) {
      if (error instanceof NotFoundException) throw error;
      sendProblem(reply, providerAway);
    }
  }

  @Get('callback')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const cookies = await this.#required().finish(request);
    if (cookies !== undefined) {
      await reply
        .header('set-cookie', [...cookies])
        .type('text/html; charset=utf-8')
        .send(signedInPage);
      return;
    }
    await this.#refuse(request, reply);
  }

  @Post('logout')
  @Roles('viewer')
  async logout(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .code(HttpStatus.NO_CONTENT)
      .header('set-cookie', [...this.#sessions.end()])
      .send();
  }

  async #refuse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const treatment = await this.#limits.fail(addressGroup(request.ip));
    sendProblem(reply, treatment === 'TurnedAway' ? tooManyFailures : unauthenticated);
  }

  #required(): BrowserSignIn {
    if (this.#signIn === null) throw new NotFoundException();
    return this.#signIn;
  }
}

const providerAway = {
  status: 503,
  code: 'ProviderAway',
  detail: 'the OpenID provider cannot be reached now',
};
