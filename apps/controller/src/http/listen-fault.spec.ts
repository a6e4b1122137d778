import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { listenFault, type ListenPlace } from './listen-fault.ts';

const settings = { port: 'listen.metricsPort', address: 'listen.metricsAddress' };

/** What the system says of listening there. */
function faultOf({ address, port }: Pick<ListenPlace, 'address' | 'port'>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, address, () => server.close(() => reject(new Error('it listens'))));
  });
}

describe('listenFault', () => {
  it('names the setting of a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const place = { address: '127.0.0.1', port, settings };
    const fault = listenFault(await faultOf(place), place);
    server.close();
    expect(fault).toBeInstanceOf(AdapterError);
    expect(fault).toMatchObject({
      code: 'EADDRINUSE',
      message: `listen.metricsPort: another process listens on 127.0.0.1:${port}`,
    });
  });

  it('names the setting of an address that another machine has', async () => {
    const place = { address: '192.0.2.1', port: 9090, settings };
    expect(listenFault(await faultOf(place), place)).toMatchObject({
      code: 'EADDRNOTAVAIL',
      message: 'listen.metricsAddress: 192.0.2.1 is no address of this machine',
    });
  });

  it('names the setting of a port that takes a right', () => {
    const refused = Object.assign(new Error('listen EACCES: permission denied ::1:80'), { code: 'EACCES' });
    expect(listenFault(refused, { address: '::1', port: 80, settings })).toMatchObject({
      message:
        'listen.metricsPort: this process may not listen on [::1]:80; ports below 1024 take a right of their own',
    });
  });

  it('leaves what else went wrong as it is', () => {
    const other = new Error('closed');
    expect(listenFault(other, { address: '::1', port: 80, settings })).toBe(other);
  });
});
