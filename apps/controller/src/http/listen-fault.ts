import { AdapterError, codeOf } from '#kernel';

/** Where something was to listen, and the settings that say so. */
export interface ListenPlace {
  readonly address: string;
  readonly port: number;
  /** `listen.port`, and the one of the address. */
  readonly settings: { readonly port: string; readonly address: string };
}

/**
 * Why nothing can listen there, in one sentence that begins with the setting to change; what else went wrong is left as
 * it is.
 */
export function listenFault(error: unknown, { address, port, settings }: ListenPlace): unknown {
  const place = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `${settings.port}: another process listens on ${place}`,
    EACCES: `${settings.port}: this process may not listen on ${place}; ports below 1024 take a right of their own`,
    EADDRNOTAVAIL: `${settings.address}: ${address} is no address of this machine`,
  };
  const code = codeOf(error);
  const message = sentences[code ?? ''];
  if (code === undefined || message === undefined) return error;
  return new AdapterError({ code, message, retryable: false, cause: error });
}
