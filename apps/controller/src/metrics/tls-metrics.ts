import { Gauge, type Registry } from 'prom-client';
import type { HttpListener } from '../http/http-listener.ts';

/** Registers until when the certificate of the API is valid; without TLS it has no value. */
export function registerTlsMetrics(
  registry: Registry,
  listener: Pick<HttpListener, 'certificateExpiresAt'>,
): void {
  new Gauge({
    name: 'plimsoll_tls_certificate_expiration_timestamp_seconds',
    help: 'When the certificate that new connections are shown expires, in seconds since 1970.',
    registers: [registry],
    collect() {
      this.reset();
      const { certificateExpiresAt } = listener;
      if (certificateExpiresAt === null) this.remove();
      else this.set(certificateExpiresAt);
    },
  });
}
