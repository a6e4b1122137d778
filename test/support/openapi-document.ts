import { readFileSync } from 'node:fs';

/** What tests read of a JSON Schema. */
export interface OpenApiSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly $ref?: string;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: OpenApiSchema;
}

export interface OpenApiContent {
  readonly content?: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: OpenApiContent;
  readonly responses: Readonly<Record<string, OpenApiContent>>;
}

/** What tests read of `openapi.json`. */
export interface OpenApiDocument {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  /** By path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
}

/** The document as it is committed. */
export const openApiDocument = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as OpenApiDocument;
