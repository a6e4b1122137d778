import { AdapterError } from '#kernel';
import { loadSecrets } from './secret-file.ts';

/** Files that say how a server is reached; read at each request, so that a rotation needs no restart. */
export interface NetworkFiles {
  /** The authorities that are trusted, as PEM, in place of the system's. */
  readonly caFile?: string;
  /** One line, `http://user:password@proxy:3128`: it may hold a password, so it is in a file. */
  readonly proxyFile?: string;
}

const proxyProtocols = new Set(['http:', 'https:']);

/**
 * The proxy of a file.
 *
 * @throws AdapterError without the file's text
 */
export async function loadProxy(file: string): Promise<URL> {
  const [text = ''] = await loadSecrets(file);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && proxyProtocols.has(url.protocol) && !/["\\\s]/.test(text)) return url;
  throw new AdapterError({
    code: 'CredentialsInvalid',
    message: `proxyFile: ${JSON.stringify(file)} holds no http:// or https:// address of a proxy`,
    retryable: true,
  });
}
