// Query costs. By Shopify's documentation an object costs 1, a connection 2 plus the requested objects, a mutation 10.
// Shopify does not publish the full table, so these are estimates; clients must read the cost from the response.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { plans, readSetup, type Shop } from '../shop.ts'

export const maxCost = 1000

interface Measure {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Record<string, unknown>
}

export function computeRequestedCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
): number {
  const fragments = new Map(
    document.definitions
      .filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  )
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)
  if (!operation) return 0
  const root = findRootType(schema, operation)
  return root ? computeSelectionCost({ schema, fragments, variables }, root, operation.selectionSet) : 0
}

const findRootType = (schema: GraphQLSchema, { operation }: OperationDefinitionNode) =>
  operation === 'mutation' ? schema.getMutationType() : schema.getQueryType()

function computeSelectionCost(measure: Measure, parent: GraphQLCompositeType, selection: SelectionSetNode): number {
  let cost = 0
  for (const node of selection.selections) {
    if (node.kind === Kind.FIELD) {
      cost += computeFieldCost(measure, parent, node)
      continue
    }
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : measure.fragments.get(node.name.value)
    const named = fragment?.typeCondition?.name.value
    const type = named ? measure.schema.getType(named) : parent
    if (fragment && isCompositeType(type)) cost += computeSelectionCost(measure, type, fragment.selectionSet)
  }
  return cost
}

/** Wrapper fields of connections cost nothing. */
const FREE_FIELDS = new Set(['nodes', 'edges', 'node', 'pageInfo'])

function computeFieldCost(measure: Measure, parent: GraphQLCompositeType, node: FieldNode): number {
  const name = node.name.value
  if (!(isObjectType(parent) || isInterfaceType(parent)) || !node.selectionSet) return 0
  const field = parent.getFields()[name]
  const type = field && getNamedType(field.type)
  if (!field || !isCompositeType(type)) return 0
  const inner = computeSelectionCost(measure, type, node.selectionSet)
  if (type.name.endsWith('Connection')) return 2 + readPageSize(measure, node) * (1 + inner)
  if (FREE_FIELDS.has(name) && /(Connection|Edge)$/.test(parent.name)) return inner
  return inner + (parent.name === 'Mutation' ? 10 : 1)
}

function readPageSize({ variables }: Measure, node: FieldNode): number {
  const argument = node.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last')?.value
  const size =
    argument?.kind === Kind.INT
      ? Number(argument.value)
      : argument?.kind === Kind.VARIABLE
        ? Number(variables[argument.name.value])
        : 0
  return Number.isFinite(size) ? size : 0
}

/** Leaky bucket of the app in this store. */
export class Bucket {
  #available = Number.POSITIVE_INFINITY
  #at = 0
  readonly #shop: Shop
  constructor(shop: Shop) {
    this.#shop = shop
  }

  get rate(): number {
    return plans[readSetup(this.#shop).plan].rate
  }

  get size(): number {
    return this.rate * 20
  }

  /** Points available now. */
  get available(): number {
    const now = this.#shop.now()
    const filled = this.#available + (Math.max(0, now - this.#at) / 1000) * this.rate
    this.#available = Math.min(this.size, filled)
    this.#at = now
    return this.#available
  }

  take(points: number) {
    this.#available = this.available - points
  }

  giveBack(points: number) {
    this.#available = Math.min(this.size, this.#available + points)
  }

  /** Sets the available points. */
  drain(points = 0) {
    this.#available = points
    this.#at = this.#shop.now()
  }

  status() {
    return {
      maximumAvailable: this.size,
      currentlyAvailable: Math.max(0, Math.floor(this.available)),
      restoreRate: this.rate,
    }
  }
}
