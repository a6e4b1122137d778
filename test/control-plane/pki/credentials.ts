import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  newKeyPair,
} from './certificate-authority.ts';

/** Paths of a certificate and its key. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Every key and certificate of one control plane, as files. */
export interface Credentials {
  readonly folder: string;
  readonly authority: string;
  /** Serves on 127.0.0.1 and localhost: the control plane's own servers, and a test's. */
  readonly serving: CertificateFiles;
  readonly admin: CertificateFiles;
  readonly serviceAccount: { readonly publicKey: string; readonly privateKey: string };
  /** Aggregated APIs trust who the API server says a user is when it shows this certificate. */
  readonly frontProxy: CertificateFiles & { readonly authority: string };
  /** Issues a client certificate; the file name is made from the common name. */
  readonly issueClient: (request: CertificateRequest) => CertificateFiles;
}

/** `kubernetes.default` and the first address of the service range, as a pod would reach the API server. */
const servingHosts = ['127.0.0.1', 'localhost', '10.0.0.1', 'kubernetes', 'kubernetes.default.svc'];

/** Makes all of it in a new folder that only the user can read. */
export function writeCredentials(folder: string): Credentials {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const root = createCertificateAuthority('plimsoll-test-control-plane');
  const frontProxyRoot = createCertificateAuthority('plimsoll-test-front-proxy');
  const from = (authority: CertificateAuthority, request: CertificateRequest): CertificateFiles =>
    writeCertificate({ folder, authority, request });
  return {
    folder,
    authority: write(folder, 'authority.crt', root.certificate),
    serving: from(root, { commonName: 'kube-apiserver', hosts: servingHosts }),
    admin: from(root, { commonName: 'plimsoll-test-admin', organizations: ['system:masters'] }),
    serviceAccount: writeServiceAccountKeys(folder),
    frontProxy: {
      ...from(frontProxyRoot, { commonName: 'front-proxy-client' }),
      authority: write(folder, 'front-proxy-authority.crt', frontProxyRoot.certificate),
    },
    issueClient: (request) => from(root, request),
  };
}

interface CertificateToWrite {
  readonly folder: string;
  readonly authority: CertificateAuthority;
  readonly request: CertificateRequest;
}

function writeCertificate({ folder, authority, request }: CertificateToWrite): CertificateFiles {
  const { certificate, privateKey } = authority.issue(request);
  const name = request.commonName.replace(/[^a-zA-Z0-9.-]/g, '-');
  return {
    certificate: write(folder, `${name}.crt`, certificate),
    privateKey: write(folder, `${name}.key`, privateKey),
  };
}

function writeServiceAccountKeys(folder: string): Credentials['serviceAccount'] {
  const { publicKey, privateKey } = newKeyPair();
  return {
    publicKey: write(folder, 'service-account.pub', publicKey.export({ type: 'spki', format: 'pem' })),
    // The API server reads EC keys in their own format only.
    privateKey: write(folder, 'service-account.key', privateKey.export({ type: 'sec1', format: 'pem' })),
  };
}

function write(folder: string, name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}
