import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { apiVersion, loadAdminSchema, parseScopes } from '../../../providers/shopify/schema/schema.ts'
import * as mutations from './mutations.ts'
import { REQUIRED_SCOPES } from './platform.ts'
import * as queries from './queries.ts'

// Validates every query against Shopify's published schema of our API version.

const flags = [
  { names: true, emails: true, phones: true, customers: true, products: true },
  { names: false, emails: false, phones: false, customers: false, products: false },
]
const bulk = flags.map((each) => queries.buildBulkOrders(queries.buildChangedSince('2026-01-01T00:00:00Z'), each))

const named = Object.entries<unknown>({ ...queries, ...mutations }).flatMap(([name, text]): [string, string][] =>
  typeof text === 'string' && /^(query|mutation) /.test(text) ? [[name, text]] : [],
)
const documents = [...named, ...bulk.map((text, index): [string, string] => [`bulk ${index}`, text])]

test('requests the pinned API version', () => {
  expect(queries.API_VERSION).toBe(apiVersion)
  expect(named.length).toBeGreaterThan(30)
})

describe.each(documents)('%s', (_, text) => {
  const document = parse(text)

  test('is valid', () => {
    expect(validate(loadAdminSchema().schema, document).map(({ message }) => message)).toEqual([])
  })

  test('needs no scope beyond the requested ones', () => {
    const lacking = neededBy(document).filter(({ scopes }) => !scopes.some(isRequested))
    expect(lacking).toEqual([])
  })

  test('can omit what may be withheld', () => {
    const optional = neededBy(document).filter(({ scopes }) => !scopes.some((scope) => scope.endsWith('_orders')))
    // Orders and checkouts are read without customers and products, regardless of the fields that they request of them.
    if (!/^query (Order|Checkout)/.test(text)) return
    for (const { guards, scopes } of optional) {
      const guard = scopes.includes('read_customers')
        ? 'customers'
        : scopes.includes('read_products')
          ? 'products'
          : null
      if (guard) expect(guards).toContain(guard)
    }
  })

  test('requests no personal data without a flag', () => {
    const { protectedContent } = loadAdminSchema()
    const bare: string[] = []
    walk(document, (field, _type, guards) => {
      if (protectedContent(field) && !guards.some((guard) => WITHHELD.has(guard))) bare.push(field)
    })
    const isAllowed = text.startsWith('query CustomerByEmail') || text.startsWith('{')
    if (!isAllowed) expect(bare).toEqual([])
  })

  test('uses nothing deprecated', () => {
    const { schema } = loadAdminSchema()
    const old: string[] = []
    walk(document, (field) => {
      const [type = '', name = ''] = field.split('.')
      const owner = schema.getType(type)
      const fields = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields() : {}
      if (fields[name]?.deprecationReason) old.push(field)
    })
    expect(old).toEqual([])
  })
})

const WITHHELD = new Set(['names', 'emails', 'phones'])

const isRequested = (scope: string) =>
  REQUIRED_SCOPES.some((requested) => requested === scope || requested === scope.replace('read_', 'write_'))

type Visitor = (field: string, type: string, guards: string[]) => void

function neededBy(document: ReturnType<typeof parse>) {
  const admin = loadAdminSchema()
  const needed: { field: string; scopes: string[]; guards: string[] }[] = []
  walk(document, (field, type, guards) => {
    const scopes = parseScopes(admin.requiredAccess(field) ?? admin.requiredAccess(type) ?? '')
    if (scopes.length > 0) needed.push({ field, scopes, guards })
  })
  return needed
}

/** Visits each field with its parent type, its own type, and the flags that guard it. */
function walk(document: ReturnType<typeof parse>, visitor: Visitor) {
  const types = new TypeInfo(loadAdminSchema().schema)
  const guards: string[][] = []
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(node) {
        if (node.kind !== 'Field' && node.kind !== 'InlineFragment') return
        guards.push(
          (node.directives ?? []).flatMap(({ arguments: args }) =>
            (args ?? []).map(({ value }) => ('name' in value ? value.name.value : '')),
          ),
        )
        if (node.kind !== 'Field') return
        const [owner, definition] = [types.getParentType(), types.getFieldDef()]
        if (!owner || !definition) return
        const type = getNamedType(definition.type)
        visitor(`${owner.name}.${node.name.value}`, isCompositeType(type) ? type.name : '', guards.flat())
      },
      leave(node) {
        if (node.kind === 'Field' || node.kind === 'InlineFragment') guards.pop()
      },
    }),
  )
}
