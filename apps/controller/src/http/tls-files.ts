import { createSecureContext } from 'node:tls';
import { readTextFile } from '#files';
import { AdapterError, fileFault } from '#kernel';

/** Where a server's certificate and its key are, as PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate, those between it and its authority, and its key. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Loads both, and checks that they belong together. @throws AdapterError naming what cannot be read or used */
export async function loadTlsCertificate({ certFile, keyFile }: TlsFiles): Promise<TlsCertificate> {
  try {
    const [cert, key] = await Promise.all([readTextFile(certFile), readTextFile(keyFile)]);
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    const message = `listen.tls.certFile ${certFile} and listen.tls.keyFile ${keyFile}: ${fileFault(error)}`;
    throw new AdapterError({ code: 'CertificateUnusable', message, retryable: false, cause: error });
  }
}
