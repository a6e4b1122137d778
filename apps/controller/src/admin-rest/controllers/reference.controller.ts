import { createHash } from 'node:crypto';
import { Controller, Get, Header, HttpCode } from '@nestjs/common';
import { apiPrefix, buildOpenApi } from '#contracts';
import { referencePage, referenceStyle } from './reference-page.ts';

/** The page has a style of its own, and nothing else may act or be fetched. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The description of the API, for programs and for people: in the repository for everyone to read, so it needs no token.
 * It is made when it is first asked for: most processes never are.
 */
@Controller(apiPrefix)
export class ReferenceController {
  #json: string | undefined;
  #page: string | undefined;

  @Get('openapi.json')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', 'no-cache')
  openApi(): string {
    return (this.#json ??= JSON.stringify(buildOpenApi()));
  }

  @Get('reference')
  @HttpCode(200)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  reference(): string {
    return (this.#page ??= referencePage(buildOpenApi()));
  }
}
