import { expect, it } from '@jest/globals';
import { onOneLine, reasonOf } from './one-line.ts';

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });

it.each([
  {
    name: 'an authority that is not known',
    error: failed('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate; try --use-system-ca'),
    want: /^its certificate is of no authority that is known here; NODE_EXTRA_CA_CERTS=FILE names one/,
  },
  {
    name: 'a server without TLS, as fetch has it',
    error: new TypeError('fetch failed', { cause: failed('EPROTO', 'SSL routines:wrong version number') }),
    want: /^it does not speak TLS there; is its address http:\/\/\?$/,
  },
  {
    name: 'a certificate that has expired',
    error: failed('CERT_HAS_EXPIRED', 'certificate has expired'),
    want: /^its certificate has expired, or the clock here is ahead$/,
  },
  {
    name: 'a certificate for another host',
    error: Object.assign(failed('ERR_TLS_CERT_ALTNAME_INVALID', "does not match certificate's altnames"), {
      host: 'localhost',
      cert: { subjectaltname: 'DNS:other.example' },
    }),
    want: /^its certificate is for DNS:other\.example, and not for localhost$/,
  },
  { name: 'what has a text', error: failed('ECONNRESET', 'socket\nhang up'), want: /^socket hang up$/ },
  { name: 'what has a code alone', error: failed('ECONNREFUSED', ''), want: /^ECONNREFUSED$/ },
])('says of $name why there is no answer', ({ error, want }) => {
  expect(reasonOf(error)).toMatch(want);
});

it('has a text on one line, and shows what is not seen there', () => {
  const given = ' refused\r\n by \u001b[8mEve\u202e\u2060: x\u200b ';
  expect(onOneLine(given)).toBe(String.raw`refused by \u001b[8mEve\u202e\u2060: x\u200b`);
});
