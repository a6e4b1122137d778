import { expect, it } from '@jest/globals';
import { openApiDocument, type OpenApiOperation, type OpenApiSchema } from '../support/openapi-document.ts';
import { type Described, undescribed } from './undescribed.ts';

it('says of every operation, parameter and property of the REST API what it is', () => {
  const { tags, paths, components } = openApiDocument;
  const all = [
    ...tags.map(({ name, description }) => ({ place: `tag.${name}`, description })),
    ...Object.values(paths).flatMap((path) => Object.values(path).flatMap(partsOf)),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      { place: name, description: schema.description },
      ...propertiesOf(name, schema),
    ]),
  ];
  const places = all.map(({ place }) => place);
  expect(places).toEqual(
    expect.arrayContaining([
      'getPolicy',
      'getPolicy.namespace',
      'releasePolicy.source',
      'listPolicies.next',
      'Decision.reason',
      'Intervention.direction',
      'Fleet.states.state',
    ]),
  );
  expect(undescribed(all)).toEqual([]);
});

function partsOf({ operationId, summary, parameters, ...operation }: OpenApiOperation): readonly Described[] {
  const contents = [operation.requestBody ?? {}, ...Object.values(operation.responses)];
  const schemas = contents.flatMap(({ content = {} }) => Object.values(content)).map(({ schema }) => schema);
  return [
    { place: operationId, description: summary },
    ...parameters.map(({ name, description }) => ({ place: `${operationId}.${name}`, description })),
    ...schemas.flatMap((schema) => propertiesOf(operationId, schema)),
  ];
}

/** The properties of a schema and of those within it; what it refers to stands among the components. */
function propertiesOf(place: string, schema: OpenApiSchema): readonly Described[] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const within = [...anyOf, ...oneOf, ...(items === undefined ? [] : [items])];
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      { place: `${place}.${name}`, description: property.description },
      ...propertiesOf(`${place}.${name}`, property),
    ]),
    ...within.flatMap((part) => propertiesOf(place, part)),
  ];
}
