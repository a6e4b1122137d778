import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  booleanTrue,
  contextTag,
  objectIdentifier,
  octetString,
  sequence,
  setOfOne,
  unsignedInteger,
  utcTime,
  utf8String,
} from './der.ts';

/** A certificate and its private key, PEM. */
interface KeyAndCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** What a certificate says: Kubernetes reads the user from `commonName` and the groups from `organizations`. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses of a server; none for a client. */
  readonly hosts?: readonly string[];
  /** It has expired a minute ago. */
  readonly isExpired?: true;
}

/** Issues certificates under one root. */
export interface CertificateAuthority {
  /** The root certificate, PEM. */
  readonly certificate: string;
  /** Issues a certificate good for a server and a client (P-256), for as long as a test may run. */
  readonly issue: (request: CertificateRequest) => KeyAndCertificate;
}

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
  clientAuthentication: '1.3.6.1.5.5.7.3.2',
} as const;

const hourMilliseconds = 3_600_000;
/** Back-dated, because clocks of containers on one machine differ; a week, because a demo may run that long. */
const validMilliseconds = { before: hourMilliseconds, after: 7 * 24 * hourMilliseconds } as const;
const expiredMilliseconds = { before: hourMilliseconds, after: -60_000 } as const;

/** Makes a root of its own, with a new key. */
export function createCertificateAuthority(commonName: string): CertificateAuthority {
  const { publicKey, privateKey } = newKeyPair();
  const issuer = { name: distinguishedName({ commonName }), privateKey };
  const root = certify({ issuer, subject: issuer.name, publicKey, extensions: authorityExtensions() });
  return { certificate: root, issue: (request) => issue(issuer, request) };
}

/** A P-256 key pair; the control plane starts faster than with RSA. */
export function newKeyPair(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

interface Issuer {
  readonly name: Buffer;
  readonly privateKey: KeyObject;
}

function issue(issuer: Issuer, request: CertificateRequest): KeyAndCertificate {
  const { publicKey, privateKey } = newKeyPair();
  const subject = distinguishedName(request);
  const certificate = certify({
    issuer,
    subject,
    publicKey,
    extensions: leafExtensions(request.hosts ?? []),
    isExpired: request.isExpired,
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}

interface Certificate {
  readonly issuer: Issuer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly isExpired?: true | undefined;
}

/** @see RFC 5280, section 4.1 */
function certify({ issuer, subject, publicKey, extensions, isExpired }: Certificate): string {
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const now = Date.now();
  const { before, after } = isExpired === true ? expiredMilliseconds : validMilliseconds;
  const body = sequence(
    contextTag(0, 'constructed', unsignedInteger(Buffer.from([2]))), // version 3
    unsignedInteger(randomBytes(16)),
    algorithm,
    issuer.name,
    sequence(utcTime(new Date(now - before)), utcTime(new Date(now + after))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    contextTag(3, 'constructed', sequence(...extensions)),
  );
  return toPem(sequence(body, algorithm, bitString(sign('sha256', body, issuer.privateKey))));
}

function distinguishedName({ commonName, organizations = [] }: CertificateRequest): Buffer {
  const attribute = (type: string, value: string): Buffer =>
    setOfOne(sequence(objectIdentifier(type), utf8String(value)));
  return sequence(
    ...organizations.map((name) => attribute(oid.organization, name)),
    attribute(oid.commonName, commonName),
  );
}

function authorityExtensions(): Buffer[] {
  const keyCertSign = bitString(Buffer.from([0b0000_0100]), 2);
  return [critical(oid.basicConstraints, sequence(booleanTrue())), critical(oid.keyUsage, keyCertSign)];
}

function leafExtensions(hosts: readonly string[]): Buffer[] {
  const digitalSignature = bitString(Buffer.from([0b1000_0000]), 7);
  const usages = sequence(
    objectIdentifier(oid.serverAuthentication),
    objectIdentifier(oid.clientAuthentication),
  );
  return [
    critical(oid.keyUsage, digitalSignature),
    sequence(objectIdentifier(oid.extendedKeyUsage), octetString(usages)),
    ...(hosts.length === 0 ? [] : [alternativeNames(hosts)]),
  ];
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 4
      ? contextTag(7, 'primitive', Buffer.from(host.split('.').map(Number)))
      : contextTag(2, 'primitive', Buffer.from(host, 'ascii')),
  );
  return sequence(objectIdentifier(oid.subjectAlternativeName), octetString(sequence(...names)));
}

function critical(type: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(type), booleanTrue(), octetString(value));
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
