import { Body, Controller, Get, HttpStatus, Inject, NotFoundException, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressGroup } from '../../http/address-group.ts';
import { isForPerson, type Problem, sendProblem } from '../../http/problem.ts';
import { portToken } from '../../provider.ts';
import {
  noRole,
  providerAway,
  signInEnded,
  signInRefused,
  tooManyFailures,
  unauthenticated,
} from '../callers/refusal-problems.ts';
import { Roles } from '../callers/roles.decorator.ts';
import { maximumTokenCharacters } from '../identities/token-authenticator.ts';
import { RequestLimits } from '../limits/request-limits.ts';
import type { BrowserSignIn, SignInRefusal } from './browser-sign-in.ts';
import { TokenSessions } from './token-sessions.ts';

/** Null: nobody signs in with a browser. */
export const browserSignInToken = portToken<BrowserSignIn | null>('BrowserSignIn');

/** A page of our own that leads on to another: a redirect from another site would not carry the session's cookie. */
function pageLeadingTo(path: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${path}"><title>Plimsoll</title><a href="${path}">Plimsoll</a>\n`;
}

const problems: Readonly<Record<SignInRefusal['code'], Problem>> = {
  NoRole: noRole,
  SignInRefused: signInRefused,
  SignInEnded: signInEnded,
  ProviderAway: providerAway,
};

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
      given.success && this.#sessions.isFromOurPage(request.headers)
        ? await this.#sessions.begin(
            given.data.token,
            request,
            this.#limits.bearerAt(addressGroup(request.ip)),
          )
        : undefined;
    if (cookie === undefined) sendProblem(reply, await this.#failure(request));
    else await reply.code(HttpStatus.NO_CONTENT).header('set-cookie', cookie).send();
  }

  @Get('login')
  async login(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const begun = await this.#required().begin();
    if (begun === null) {
      sendToPerson(request, reply, providerAway);
      return;
    }
    await reply.header('set-cookie', begun.cookie).redirect(begun.location, HttpStatus.FOUND);
  }

  @Get('callback')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const result = await this.#required().finish(request);
    if (result.code === 'SignedIn') {
      await reply
        .header('set-cookie', [...result.cookies])
        .type('text/html; charset=utf-8')
        .send(pageLeadingTo('/'));
      return;
    }
    const problem = problems[result.code];
    const isFailure = problem !== providerAway;
    sendToPerson(request, reply, isFailure ? await this.#failure(request, problem) : problem);
  }

  @Post('logout')
  @Roles('viewer')
  async logout(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .code(HttpStatus.NO_CONTENT)
      .header('set-cookie', [...this.#sessions.end()])
      .send();
  }

  async #failure({ ip }: FastifyRequest, problem: Problem = unauthenticated): Promise<Problem> {
    const treatment = await this.#limits.fail(addressGroup(ip));
    return treatment === 'TurnedAway' ? tooManyFailures : problem;
  }

  #required(): BrowserSignIn {
    if (this.#signIn === null) throw new NotFoundException();
    return this.#signIn;
  }
}

/** A person who comes by a browser is led to the console's sign-in, which says the problem in words. */
function sendToPerson(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  if (!isForPerson(request.headers)) {
    sendProblem(reply, problem);
    return;
  }
  const page = pageLeadingTo(`/login?openid=${problem.code}`);
  void reply.code(problem.status).type('text/html; charset=utf-8').send(page);
}
