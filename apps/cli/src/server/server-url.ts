import { UnusableError } from '../unusable-error.ts';
import { onOneLine } from './one-line.ts';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Whether what is sent there is read by nobody on the way: it goes over TLS, or not beyond this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && loopbackNames.includes(hostname));
}

/** The address of a controller, which tokens are sent to. @throws UnusableError */
export function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    // Before an @ there may be a password.
    const shown = server.includes('@') ? 'this' : JSON.stringify(server);
    throw new UnusableError(`${shown} is no URL, such as https://plimsoll.example.com`);
  }
  if (url.username !== '' || url.password !== '')
    throw new UnusableError('the URL names a user; a token goes into --token-file');
  if (isPrivate(url)) return url;
  const why = 'a token that is sent there can be read on the way';
  const cure =
    'give the controller a certificate (listen.tls), or forward its port here (kubectl port-forward)';
  throw new UnusableError(
    `${onOneLine(url.origin)} is not https://, or http:// on loopback: ${why}; ${cure}`,
  );
}
