import type { ASTNode } from '@marcbachmann/cel-js';
import { isJsonObject, type JsonObject } from '#kernel';
import type { Finding } from '../reading/place.ts';
import { suggest } from '../reading/suggest.ts';
import { suggested } from '../reading/suggested.ts';
import { autoscalingPolicySpec } from '../schema/autoscaling-policy.ts';
import { definitions, map, policyDocument } from '../schema/parts.ts';

/** The native form as expressions see it: of `metadata` it has name, namespace, labels and annotations alone. */
const subject: JsonObject = map({
  apiVersion: policyDocument.properties.apiVersion,
  kind: policyDocument.properties.kind,
  metadata: map(definitions.metadata.properties),
  spec: autoscalingPolicySpec,
});

/**
 * What an expression asks for that no policy has, whatever the policy: fields, and words that a field never is. They are
 * mistakes of the expression, which else would stand at every policy that it judges.
 */
export function findStrangeFields(root: ASTNode): readonly Finding[] {
  const reader = new ExpressionReader();
  reader.typeOf(root, new Map([['object', subject]]));
  return reader.findings();
}

/** What is known of the variables in a place: the schema of their values. */
type Variables = ReadonlyMap<string, JsonObject>;

/** Macros over a list, whose first argument names each item. */
const comprehensions: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

class ExpressionReader {
  readonly #strange = new Map<string, Finding>();
  /** Fields that the expression asks for with `has`: where there is none, nothing is evaluated that needs it. */
  readonly #asked = new Set<string>();
  readonly #words = new Map<string, Finding>();

  /** A field that is asked for with `has` is never there, which is no error. */
  findings(): readonly Finding[] {
    const fields = [...this.#strange].map(([field, finding]): Finding =>
      this.#asked.has(field) ? { ...finding, severity: 'warning' } : finding,
    );
    return [...fields, ...this.#words.values()];
  }

  /** The schema of a node's value; `undefined` where it is not known. */
  typeOf(node: ASTNode, variables: Variables): JsonObject | undefined {
    switch (node.op) {
      case 'id':
        return variables.get(node.args);
      case 'value':
        return undefined;
      case '.':
        return this.#field(this.typeOf(node.args[0], variables), node.args[1], textOf(node));
      case '[]':
        return this.#item(node, variables);
      case 'rcall':
        return this.#call(node.args, variables);
      case 'call':
        this.#noteAsked(node.args);
        {
          this.#visit(node.args, variables);
          return;
        }
      case '==':
      case '!=': {
        this.#compare(node.args, variables);
        return;
      }
      default: {
        this.#visit(node.args, variables);
        return;
      }
    }
  }

  /** Reads the nodes in a value, however it holds them; what comes of them is of no known type. */
  #visit(value: unknown, variables: Variables): undefined {
    if (isNode(value)) this.typeOf(value, variables);
    else if (isList(value)) for (const each of value) this.#visit(each, variables);
    return undefined;
  }

  #noteAsked([name, [asked]]: readonly [string, readonly ASTNode[]]): void {
    if (name === 'has' && asked !== undefined) this.#asked.add(textOf(asked));
  }

  #item(node: ASTNode & { readonly op: '[]' }, variables: Variables): JsonObject | undefined {
    const [list, key] = node.args;
    const type = this.typeOf(list, variables);
    const name = key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
    if (name !== undefined) return this.#field(type, name, textOf(node));
    this.typeOf(key, variables);
    return itemsOf(type);
  }

  #call(
    [name, on, args]: readonly [string, ASTNode, readonly ASTNode[]],
    variables: Variables,
  ): JsonObject | undefined {
    const type = this.typeOf(on, variables);
    const [variable, ...rest] = args;
    if (!comprehensions.has(name) || variable?.op !== 'id') {
      this.#visit(args, variables);
      return;
    }
    const inside = new Map(variables);
    const items = itemsOf(type);
    if (items === undefined) inside.delete(variable.args);
    else inside.set(variable.args, items);
    this.#visit(rest, inside);
    return name === 'filter' ? type : undefined;
  }

  /** A map that may have any key, as labels, and what is not known have every field. */
  #field(type: JsonObject | undefined, name: string, text: string): JsonObject | undefined {
    const properties = type?.['additionalProperties'] === false ? type['properties'] : undefined;
    if (!isJsonObject(properties)) return undefined;
    const found = properties[name];
    if (Object.hasOwn(properties, name)) return isJsonObject(found) ? resolved(found) : undefined;
    const names = Object.keys(properties);
    const suggestion = suggested(suggest(name, names), `the fields there are ${names.join(', ')}`);
    this.#strange.set(text, { code: 'Guardrail', message: `no policy has ${text}`, ...suggestion });
    return undefined;
  }

  /** A comparison is no field of anything. */
  #compare([one, other]: readonly [ASTNode, ASTNode], variables: Variables): undefined {
    const pairs = [
      [one, other],
      [other, one],
    ] as const;
    for (const [field, value] of pairs) {
      const words = this.typeOf(field, variables)?.['enum'];
      const given = value.op === 'value' && typeof value.args === 'string' ? value.args : undefined;
      if (!isList(words) || given === undefined || words.includes(given)) continue;
      const known = words.filter((word) => typeof word === 'string');
      const message = `${textOf(field)} is one of ${known.join(', ')}, and never ${JSON.stringify(given)}`;
      this.#words.set(message, {
        severity: 'warning',
        code: 'Guardrail',
        message,
        ...suggested(suggest(given, known)),
      });
    }
    return undefined;
  }
}

/** What a node is in the text of its expression. */
function textOf({ input, start, end }: ASTNode): string {
  return input.slice(start, end).trim();
}

function itemsOf(type: JsonObject | undefined): JsonObject | undefined {
  const items = type?.['items'];
  return isJsonObject(items) ? resolved(items) : undefined;
}

const references: Readonly<Record<string, JsonObject>> = definitions;

function resolved(schema: JsonObject): JsonObject {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return references[$ref.slice($ref.lastIndexOf('/') + 1)] ?? schema;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
