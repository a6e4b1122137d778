import { type CustomScalar, Scalar } from '@nestjs/graphql';
import type { ValueNode } from 'graphql';
import type { Json } from '#kernel';

/** Any JSON value in an answer: documents whose shape another contract defines (an observation, a metric target). */
@Scalar('JSON')
export class JsonScalar implements CustomScalar<Json, Json> {
  readonly description = 'Any JSON value; the contract that defines its shape is named at the field.';

  parseValue(value: unknown): Json {
    return value as Json;
  }

  serialize(value: unknown): Json {
    return value as Json;
  }

  /** No argument has this type, so a literal of it cannot be written. */
  parseLiteral(node: ValueNode): Json {
    throw new TypeError(`JSON stands in answers only, not in a ${node.kind}`);
  }
}
