import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createCertificateAuthority } from './certificate-authority.ts';

describe('createCertificateAuthority', () => {
  const authority = createCertificateAuthority('root');
  const root = new X509Certificate(authority.certificate);

  it('makes a root that signs itself and may sign others', () => {
    expect(root.subject).toBe('CN=root');
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
  });

  it('issues a client certificate with user, groups and the right key', () => {
    const issued = authority.issue({ commonName: 'admin', organizations: ['system:masters', 'readers'] });

    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.subject).toBe('O=system:masters\nO=readers\nCN=admin');
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.privateKey))).toBe(true);
  });

  it('issues a server certificate for names and addresses', () => {
    const issued = authority.issue({ commonName: 'server', hosts: ['localhost', '127.0.0.1'] });

    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('example.org')).toBeUndefined();
  });

  it('issues certificates that are valid now', () => {
    const certificate = new X509Certificate(authority.issue({ commonName: 'now' }).certificate);

    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
  });

  it('issues one that has expired where that is asked for', () => {
    const { certificate } = authority.issue({ commonName: 'then', isExpired: true });

    expect(Date.parse(new X509Certificate(certificate).validTo)).toBeLessThan(Date.now());
  });
});
