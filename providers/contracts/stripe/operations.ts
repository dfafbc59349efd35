import { readFileSync } from 'node:fs'
import { findResourceFile, type Node, readDeclarationFile, readName } from './declarations.ts'
import { type ObjectSchema, readTypeSchema, type Schema } from './schema.ts'

// Operations of Stripe's API: method and path from the client's code, parameters and reply from its declarations.

export interface Operation {
  /** `Checkout/Sessions.create`: resource and method of the client. */
  id: string
  verb: string
  path: string
  /** Path of the resource, `/v1/customers`. */
  pattern: RegExp
  parameters: ObjectSchema | null
  answer: Schema
  isList: boolean
}

/** Supported resources, and those whose paths are known so that the error says "not supported" and not "unknown". */
const RESOURCES = [
  'Accounts',
  'BillingPortal/Configurations',
  'BillingPortal/Sessions',
  'Charges',
  'Checkout/Sessions',
  'Coupons',
  'Customers',
  'Disputes',
  'Events',
  'InvoiceItems',
  'InvoicePayments',
  'Invoices',
  'PaymentIntents',
  'PaymentMethods',
  'Prices',
  'Products',
  'PromotionCodes',
  'Refunds',
  'SetupIntents',
  'SubscriptionItems',
  'SubscriptionSchedules',
  'Subscriptions',
  'WebhookEndpoints',
]

const CALL = /^ {4}(\w+)\([^)]*\) \{\n(?: {8}.*\n)*? {8}return this\._makeRequest\('(\w+)', [`']([^`']+)[`']/gm

let all: Operation[] | null = null

export function listOperations(): Operation[] {
  // A path with a fixed end (`/invoices/create_preview`) precedes the same path with an id.
  all ??= RESOURCES.flatMap(readOperations).sort((a, b) => countParameters(a.path) - countParameters(b.path))
  return all
}

const countParameters = (path: string) => path.split('{').length

function readOperations(resource: string): Operation[] {
  const file = findResourceFile(resource)
  const code = readFileSync(file.replace(/\.d\.ts$/, '.js'), 'utf8')
  const methods = readMethods(file)
  return [...code.matchAll(CALL)].flatMap(([, method, verb, called]) => {
    const declaration = methods.get(method!)
    if (!declaration) return []
    const path = called!.replace(/\$\{encodeURIComponent\((\w+)\)\}/g, '{$1}')
    const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    return [{ id: `${resource}.${method}`, verb: verb!, path, pattern, ...readTypes(declaration, file) }]
  })
}

function readMethods(file: string): Map<string, Node> {
  const classes = [...readDeclarationFile(file).declared.values()].filter(
    ({ node }) => node.type === 'ClassDeclaration',
  )
  const members = classes.flatMap(({ node }) => (node.body as Node).body as Node[])
  return new Map(
    members
      .filter(({ type }) => type === 'MethodDefinition')
      .map((one) => [readName(one.key as Node), one.value as Node] as const)
      // The first overload of a method counts.
      .reverse(),
  )
}

/** Types are read on first use: a run uses few of the many operations. */
function readTypes(method: Node, file: string) {
  const place = { file, scope: [], typeArguments: new Map() }
  const readType = (node: Node) => (node.typeAnnotation as Node).typeAnnotation as Node
  const params = (method.params as Node[]).find((one) => one.name === 'params')
  const returned = (method.returnType as Node).typeAnnotation as Node
  const promised = readName(returned.typeName as Node)
  const isList = promised !== 'Promise'
  const inner = ((returned.typeArguments as Node).params as Node[])[0]!
  return {
    isList,
    get parameters(): ObjectSchema | null {
      const schema = params ? readTypeSchema(readType(params), place) : null
      return schema?.kind === 'object' ? schema : null
    },
    get answer(): Schema {
      if (!isList) return readTypeSchema(((inner.typeArguments as Node).params as Node[])[0]!, place)
      return { kind: 'object', name: 'ApiList', fields: listFields(readTypeSchema(inner, place)), index: null }
    },
  }
}

const listFields = (of: Schema): ObjectSchema['fields'] =>
  new Map([
    ['object', { schema: { kind: 'literal', value: 'list' }, isOptional: false }],
    ['data', { schema: { kind: 'array', of }, isOptional: false }],
    ['has_more', { schema: { kind: 'boolean' }, isOptional: false }],
    ['url', { schema: { kind: 'string' }, isOptional: false }],
  ])

export const findOperation = (verb: string, path: string): Operation | null =>
  listOperations().find((one) => one.verb === verb && one.pattern.test(path)) ?? null
