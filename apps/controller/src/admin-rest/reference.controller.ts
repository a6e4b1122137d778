import { createHash } from 'node:crypto';
import { Controller, Get, Header, HttpCode } from '@nestjs/common';
import { apiPrefix, buildOpenApi } from '#contracts';
import { referencePage, referenceStyle } from './reference-page.ts';

const description = buildOpenApi();
const json = JSON.stringify(description);
const page = referencePage(description);

/** The page has a style of its own, and nothing else may act or be fetched. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The description of the API, for programs and for people: in the repository for everyone to read, so it needs no token. */
@Controller(apiPrefix)
export class ReferenceController {
  @Get('openapi.json')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', 'no-cache')
  openApi(): string {
    return json;
  }

  @Get('reference')
  @HttpCode(200)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  reference(): string {
    return page;
  }
}
