import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';

/** The most that one page holds. */
export const maximumPageSize = 100;

/** Where a page stands in its list. Pages go one way, so there is never a previous page to ask for. */
export interface PagePlace {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** Relay's page information. */
@ObjectType({ description: 'Where a page ends.' })
export class PageInfo implements PagePlace {
  @Field(() => Boolean, { description: 'Whether there is more after endCursor.' })
  declare hasNextPage: boolean;

  @Field(() => Boolean, { description: 'Always false: pages are read forward.' })
  declare hasPreviousPage: boolean;

  @Field(() => String, { nullable: true })
  declare startCursor: string | null;

  @Field(() => String, { nullable: true, description: 'Give it as `after` to read on.' })
  declare endCursor: string | null;
}

/** `first` and `after` of every list. */
@ArgsType()
export class PageArguments {
  @Field(() => Int, { defaultValue: 20, description: `Page size, 1 to ${maximumPageSize}.` })
  declare first: number;

  @Field(() => String, { nullable: true, description: 'The endCursor of the page before.' })
  declare after?: string | null;
}

/** One item of a page and its cursor. */
export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** A page of a list, in Relay's form. */
export interface Connection<T> {
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PagePlace;
}

/** Makes the connection type of a node type: `Decision` → `DecisionConnection` of `DecisionEdge`. */
export function connectionOf<T>(node: Type<T>, name: string): Type<Connection<T>> {
  @ObjectType(`${name}Edge`)
  class EdgeType implements Edge<T> {
    @Field(() => String)
    declare cursor: string;

    @Field(() => node)
    declare node: T;
  }

  @ObjectType(`${name}Connection`)
  class ConnectionType implements Connection<T> {
    @Field(() => [EdgeType])
    declare edges: EdgeType[];

    @Field(() => PageInfo)
    declare pageInfo: PageInfo;
  }
  return ConnectionType;
}

/** Builds a page from items that were read one beyond the page size. */
export function toConnection<T>(edges: readonly Edge<T>[], first: number): Connection<T> {
  const page = edges.slice(0, first);
  return {
    edges: page,
    pageInfo: {
      hasNextPage: edges.length > first,
      hasPreviousPage: false,
      startCursor: page[0]?.cursor ?? null,
      endCursor: page.at(-1)?.cursor ?? null,
    },
  };
}
