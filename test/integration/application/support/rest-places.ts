import {
  openApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiSchema,
} from '../../../support/openapi-document.ts';
import type { ApiRequest, StringPlace } from './hostile-strings.ts';
import { plainValue } from './plain-values.ts';

/** Where in a body a text stands, by the names that lead there. */
type Path = readonly string[];

/** A text at its place. */
interface Placed {
  readonly path: Path;
  readonly text: string;
}

/** A member of a body. */
interface Member {
  readonly operation: string;
  readonly name: string;
  readonly schema: OpenApiSchema;
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

/** Every place for a text in paths, queries, headers and bodies of the REST API. */
export function restPlaces(): readonly StringPlace[] {
  return Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const route = { path, method: method.toUpperCase(), operation };
      return [...parameterPlaces(route), ...bodyPlaces(route)];
    }),
  );
}

function parameterPlaces(route: Route): readonly StringPlace[] {
  const { operationId, parameters } = route.operation;
  return parameters.map((parameter) => ({
    place: `${operationId} ${parameter.in} ${parameter.name}`,
    requestWith: (text) => (mayCarry(parameter, text) ? requestOf(route, { parameter, text }) : undefined),
  }));
}

/** A URL carries well-formed texts only, and a header what is visible in ASCII. */
function mayCarry({ in: place }: OpenApiParameter, text: string): boolean {
  return place === 'header' ? /^[ -~]*$/.test(text) : text.isWellFormed();
}

function bodyPlaces(route: Route): readonly StringPlace[] {
  const { operationId, requestBody } = route.operation;
  const schema = requestBody?.content?.['application/json']?.schema;
  if (schema === undefined) return [];
  return variantsOf(schema).flatMap((variant, index) =>
    textsIn(variant).map((path) => ({
      place: `${operationId} body ${index} ${path.join('.')}`,
      requestWith: (text: string) => ({
        ...requestOf(route),
        body: bodyOf(operationId, variant, { path, text }) as object,
      }),
    })),
  );
}

function requestOf(
  { path, method, operation }: Route,
  placed?: { readonly parameter: OpenApiParameter; readonly text: string },
): ApiRequest {
  const { operationId, parameters, requestBody } = operation;
  const valueOf = (parameter: OpenApiParameter): string => {
    if (parameter === placed?.parameter) return placed.text;
    return parameter.name === 'dryRun' ? 'true' : plainText(operationId, parameter);
  };
  const given = parameters.filter(
    (parameter) => parameter.required || parameter.name === 'dryRun' || parameter === placed?.parameter,
  );
  const of = (place: OpenApiParameter['in']): readonly OpenApiParameter[] =>
    given.filter((parameter) => parameter.in === place);
  const schema = requestBody?.content?.['application/json']?.schema;
  const [variant] = schema === undefined ? [] : variantsOf(schema);
  const query = new URLSearchParams(of('query').map((parameter) => [parameter.name, valueOf(parameter)]));
  const filled = of('path').reduce(
    (text, parameter) => text.replace(`{${parameter.name}}`, encodeURIComponent(valueOf(parameter))),
    `/api/v1${path}`,
  );
  return {
    method,
    path: `${filled}?${query.toString()}`,
    headers: Object.fromEntries(of('header').map((parameter) => [parameter.name, valueOf(parameter)])),
    ...(variant === undefined ? {} : { body: bodyOf(operationId, variant, null) as object }),
  };
}

function plainText(operation: string, { name, schema }: OpenApiParameter): string {
  const [word] = schema.enum ?? [];
  return typeof word === 'string' ? word : plainValue(operation, name);
}

function resolved(schema: OpenApiSchema): OpenApiSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(openApiDocument.components.schemas[name] ?? {});
}

/** The forms of which a body has one. */
function variantsOf(schema: OpenApiSchema): readonly OpenApiSchema[] {
  const { oneOf, anyOf, ...plain } = resolved(schema);
  return (oneOf ?? anyOf)?.flatMap(variantsOf) ?? [plain];
}

/** The paths to texts; of what has several forms, those in the first that has it. */
function textsIn(schema: OpenApiSchema): readonly Path[] {
  const { properties = {}, items, type } = resolved(schema);
  if (items !== undefined) return textsIn(items);
  if (type === 'string') return [[]];
  const paths = Object.entries(properties).flatMap(([name, property]) =>
    variantsOf(property).flatMap((variant) =>
      variant.const !== undefined || variant.enum !== undefined
        ? []
        : textsIn(variant).map((path) => [name, ...path]),
    ),
  );
  return [...new Map(paths.map((path) => [path.join('.'), path])).values()];
}

/** The required members, and those that lead to the place. */
function bodyOf(operation: string, schema: OpenApiSchema, placed: Placed | null): unknown {
  const { properties = {}, required = [] } = schema;
  const [first, ...rest] = placed?.path ?? [];
  const members = Object.entries(properties).filter(([name]) => name === first || required.includes(name));
  return Object.fromEntries(
    members.map(([name, property]) => [
      name,
      memberOf(
        { operation, name, schema: property },
        name === first ? { path: rest, text: placed?.text ?? '' } : null,
      ),
    ]),
  );
}

function memberOf({ operation, name, schema }: Member, placed: Placed | null): unknown {
  const form = formOf(schema, placed);
  if (form.items !== undefined) return [memberOf({ operation, name, schema: form.items }, placed)];
  if (form.properties !== undefined) return bodyOf(operation, form, placed);
  const [word] = form.const === undefined ? (form.enum ?? []) : [form.const];
  return word ?? scalars[String(form.type)] ?? placed?.text ?? plainValue(operation, name);
}

/** A value of each type that is no text. */
const scalars: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1 };

/** The form that has what leads to the place, or else the first. */
function formOf(schema: OpenApiSchema, placed: Placed | null): OpenApiSchema {
  const [next] = placed?.path ?? [];
  const variants = variantsOf(schema);
  const leading = variants.find(
    ({ properties = {} }) => next !== undefined && Object.hasOwn(properties, next),
  );
  return leading ?? variants[0] ?? {};
}
