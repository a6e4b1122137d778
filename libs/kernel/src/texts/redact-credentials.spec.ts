import { describe, expect, it } from '@jest/globals';
import { redactCredentials } from './redact-credentials.ts';

describe('redactCredentials', () => {
  it.each([
    { name: 'a bearer token', text: 'sent Bearer abc.def-1, refused', want: 'sent Bearer …, refused' },
    { name: 'basic credentials', text: 'basic dXNlcjpwYXNz==', want: 'basic …' },
    { name: 'a JSON Web Token', text: 'token "eyJhbGci.eyJzdWIi.c2ln"', want: 'token "…"' },
    { name: 'two of them', text: 'eyJa.b.c eyJd.e.f.eyJg.h.i', want: '… ….…' },
    { name: 'a header of a proxy', text: 'Proxy-Authorization: Basic a', want: 'Proxy-Authorization: …' },
    { name: 'a header that another prefix names', text: 'x-authorization: a b', want: 'x-authorization: …' },
    { name: 'userinfo of a URL', text: 'ssh://git:pw@host/a b', want: 'ssh://…@host/a b' },
    {
      name: 'a header to the end of its line',
      text: 'Authorization: Negotiate x y\nnext',
      want: 'Authorization: …\nnext',
    },
    { name: 'a token header', text: 'PRIVATE-TOKEN=glpat-1', want: 'PRIVATE-TOKEN: …' },
    { name: 'nothing of an ordinary text', text: 'GET //host/a: 503 down', want: 'GET //host/a: 503 down' },
  ])('takes out $name', ({ text, want }) => {
    expect(redactCredentials(text)).toBe(want);
  });

  it('takes out the given secrets wherever they stand, and ignores an empty one', () => {
    expect(redactCredentials('hunter2 is not hunter22', ['', 'hunter2'])).toBe('… is not …2');
  });

  it.each([
    { secret: 't', text: 'token t cannot update it (t)', want: 'token … cannot update it (…)' },
    { secret: 'test', text: 'test: the latest tests use test', want: '…: the latest tests use …' },
    { secret: 'a-a', text: 'a-a-a a-ab', want: '…-a a-ab' },
    { secret: '.', text: 'a.b .', want: 'a.b …' },
    { secret: 'ä', text: 'ä är x', want: '… är x' },
  ])('takes the short secret $secret out where it stands alone, and leaves words whole', (row) => {
    expect(redactCredentials(row.text, [row.secret])).toBe(row.want);
  });
});
