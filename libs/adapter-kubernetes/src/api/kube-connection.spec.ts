import { describe, expect, it } from '@jest/globals';
import { openConnection } from './kube-connection.ts';

function kubeconfig(server: string): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { username: 'ada', password: 'lovelace' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

describe('openConnection', () => {
  it('reads the credentials of the context', async () => {
    const connection = openConnection({
      kind: 'Explicit',
      kubeconfig: kubeconfig('https://api.example:6443/'),
    });
    expect(connection.server).toBe('https://api.example:6443');
    const { headers, secrets } = await connection.credentials();
    expect(headers).toEqual({ Authorization: `Basic ${btoa('ada:lovelace')}` });
    expect(secrets).toContain(btoa('ada:lovelace'));
    await connection.close();
  });

  it.each([
    {
      name: 'a file that is not there',
      source: { kind: 'Kubeconfig', path: '/nonexistent/config' } as const,
      want: 'ENOENT',
    },
    {
      name: 'text that is no kubeconfig',
      source: { kind: 'Explicit', kubeconfig: ': [' } as const,
      want: '',
    },
    { name: 'a pod that this is not', source: { kind: 'InCluster' } as const, want: 'not in a pod' },
    {
      name: 'http beyond loopback',
      source: { kind: 'Explicit', kubeconfig: kubeconfig('http://api.example') } as const,
      want: 'in the clear',
    },
  ])('refuses $name', ({ source, want }) => {
    expect(() => openConnection(source)).toThrow(
      expect.objectContaining({ code: 'InvalidKubeconfig', message: expect.stringContaining(want) }),
    );
  });
});
