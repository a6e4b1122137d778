import { expect, it } from '@jest/globals';
import type { ApiClient, ApiRequest } from '../api/api-client.ts';
import type { RestMapper } from '../api/rest-mapper.ts';
import { ScaleReader } from './scale-reader.ts';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const mapping = {
  ...{ groupPath: '/apis/apps/v1', apiVersion: 'apps/v1', kind: 'Deployment' },
  ...{ resource: 'deployments', isNamespaced: true, hasScale: true },
};

it.each(['/scale', ''])(
  'a scale that may not be read names itself, though …%s is refused first',
  async (first) => {
    const refuse = async ({ path }: ApiRequest): Promise<never> => {
      const isFirst = path.endsWith(`/checkout${first}`);
      for (let turn = 0; !isFirst && turn < 20; turn += 1) await Promise.resolve();
      throw new Error(`${path} is refused`);
    };
    const client = { json: refuse } as unknown as ApiClient;
    const mapper = { mappingOf: () => Promise.resolve(mapping) } as unknown as RestMapper;
    const reading = new ScaleReader(client, mapper).readWithWriter(target);
    await expect(reading).rejects.toThrow(
      '/apis/apps/v1/namespaces/shop/deployments/checkout/scale is refused',
    );
  },
);
