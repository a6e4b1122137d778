import type { JsonMembers } from '#contracts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Its hash is in the page's Content-Security-Policy. */
export const referenceStyle = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff }
code, pre { font: 14px/1.5 ui-monospace, monospace }
summary { cursor: pointer; padding: .4rem 0 }
details { border-bottom: 1px solid #d5dae0 }
table { border-collapse: collapse; margin: .5rem 0 1rem; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #eceff2 }
.method { display: inline-block; width: 4.5rem; font-weight: 600 }
a { color: #0a5ab4 }
@media (prefers-color-scheme: dark) {
  body { color: #e6e8ea; background: #14171a } a { color: #79b8ff }
  details, th, td { border-color: #33393f }
}`;

/** A page to read the API's description on: it has no script and fetches nothing. */
export function referencePage(given: JsonMembers): string {
  const { info, servers, tags, paths, components } = given as unknown as Description;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    return `<h2>${escaped(name)}</h2>${own.map(operationPart).join('')}`;
  });
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaPart(name, schema));
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${escaped(info.title)} REST API</title><style>${referenceStyle}</style></head><body>`,
    `<h1>${escaped(info.title)} REST API ${escaped(info.version)}</h1>`,
    `<p>Below <code>${escaped(servers[0].url)}</code>; described for programs by <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>`,
    info.description
      .split('\n\n')
      .map((text) => `<p>${prose(text)}</p>`)
      .join(''),
    sections.join(''),
    `<h2>Schemas</h2>${schemas.join('')}</body></html>`,
  ].join('\n');
}

function operationPart({
  path,
  method,
  operation,
}: {
  readonly path: string;
  readonly method: string;
  readonly operation: Described;
}): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, in: place, required, description: text = '', schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${typeOf(schema)}</td><td>${prose(text)}</td></tr>`,
  );
  const body = bodyOf(requestBody);
  const statuses = Object.keys(responses).join(', ');
  const answer = bodyOf(responses['200'] ?? responses['201']);
  return [
    `<details id="${escaped(operationId)}"><summary><code><span class="method">${method.toUpperCase()}</span>${escaped(path)}</code> ${prose(summary)}</summary>`,
    `<p>${prose(description)}</p><table>${rows.join('')}</table>`,
    body === '' ? '' : `<p>Body: ${body}</p>`,
    `<p>Answer: ${answer}. Statuses: ${statuses}.</p></details>`,
  ].join('');
}

function bodyOf(content: Content | undefined): string {
  const schema = content?.content?.['application/json']?.schema;
  return schema === undefined ? '' : typeOf(schema);
}

function schemaPart(name: string, schema: Schema): string {
  const variants = variantsOf(schema);
  return [
    `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code> ${prose(schema.description ?? '')}</summary>`,
    ...(variants.length === 0 ? [schema] : variants).map(memberTable),
    '</details>',
  ].join('');
}

function memberTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `<tr><td><code>${escaped(name)}</code>${required.includes(name) ? '' : '?'}</td><td>${typeOf(schema)}</td><td>${prose(schema.description ?? '')}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function typeOf(schema: Schema): string {
  const { $ref, items, enum: values = constantOf(schema) } = schema;
  const name = $ref?.split('/').at(-1);
  if (name !== undefined) return `<a href="#${escaped(name)}">${escaped(name)}</a>`;
  if (values.length > 0) return values.map((each) => `<code>${escaped(String(each))}</code>`).join(' ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return variantsOf(schema).map(typeOf).join(' or ') || plainTypeOf(schema);
}

function constantOf({ const: value }: Schema): readonly unknown[] {
  return value === undefined ? [] : [value];
}

function variantsOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? [];
}

function plainTypeOf({ properties, type = 'any' }: Schema): string {
  const page = properties?.['items'];
  return page === undefined ? escaped([type].flat().join(' or ')) : `page, ${typeOf(page)}`;
}

/** Text with code between backticks. */
function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
