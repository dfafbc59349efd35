// Resolvers of the query root.

import type { Checkout, Customer, Discount, Product, Variant } from '../model.ts'
import { find, findByKey, listAll } from '../records.ts'
import { apiVersion } from '../schema/schema.ts'
import { buildGid, parseGid, readSetup } from '../shop.ts'
import { buildBulkSource } from './bulk-source.ts'
import type { Context, Source } from './context.ts'
import { buildCustomerSource, isReadable } from './customers.ts'
import { buildCodeNodeSource, buildNodeSource, type computeDiscountStatus } from './discounts.ts'
import {
  buildOrdersSource,
  checkoutSource,
  type ListArgs,
  orderCondition,
  orderSource,
  TIMESTAMP_FIELDS,
} from './orders.ts'
import { countRows, createUnsupportedError, type PageArgs, paginateList, paginateRows } from './pages.ts'
import { buildProductSource, buildVariantSource } from './products.ts'
import { buildCondition, type Condition, createUnknownFieldError, type Term } from './search.ts'
import { buildShopSource } from './shop-source.ts'
import { buildWebhookSource } from './webhook-source.ts'

export function buildQueries(context: Context): Source {
  return {
    ...buildSingleQueries(context),
    ...listQueries(context),
    ...countQueries(context),
    ...buildDiscountQueries(context),
    ...buildAppQueries(context),
  }
}

type ById = { id: string }

function buildSingleQueries(context: Context): Source {
  const { shop } = context
  return {
    shop: () => buildShopSource(context),
    order: ({ id }: ById) => resolveNode(context, id, 'Order'),
    customer: ({ id }: ById) => resolveNode(context, id, 'Customer'),
    product: ({ id }: ById) => resolveNode(context, id, 'Product'),
    productVariant: ({ id }: ById) => resolveNode(context, id, 'ProductVariant'),
    codeDiscountNode: ({ id }: ById) => resolveNode(context, id, 'DiscountCodeNode'),
    discountNode: ({ id }: ById) => {
      const discount = find(shop.db, 'discount', parseGid(id) ?? 0)
      return discount ? buildNodeSource(context, discount) : null
    },
    node: ({ id }: ById) => resolveNode(context, id),
    nodes: ({ ids }: { ids: string[] }) => ids.map((id) => resolveNode(context, id)),
    customerByIdentifier: ({
      identifier,
    }: {
      identifier: { emailAddress?: string; id?: string; phoneNumber?: string }
    }) => {
      if (identifier.phoneNumber) throw createUnsupportedError('customerByIdentifier by phone number')
      if (identifier.id) return resolveNode(context, identifier.id, 'Customer')
      const customer = findByKey(shop.db, 'customer', identifier.emailAddress ?? '')
      return customer ? buildCustomerSource(context, customer) : null
    },
    codeDiscountNodeByCode: ({ code }: { code: string }) => {
      const found = findByKey(shop.db, 'code', code)
      const discount = found && find(shop.db, 'discount', found.discountId)
      return discount ? buildCodeNodeSource(context, discount) : null
    },
  }
}

/** Resolves the types that `node` supports. */
function resolveNode(context: Context, text: string, requested?: string): Source | null {
  const { db } = context.shop
  const type = /^gid:\/\/shopify\/([A-Za-z]+)\//.exec(text)?.[1]
  const id = parseGid(text)
  if (!type || id === null || (requested && type !== requested)) return null
  const toSource = <T>(doc: T | undefined, source: (context: Context, doc: T) => Source) =>
    doc === undefined ? null : source(context, doc)
  switch (type) {
    case 'Order': {
      const order = find(db, 'order', id)
      return order && isReadable(context, order.createdAt) ? orderSource(context, order) : null
    }
    case 'Customer':
      return toSource(find(db, 'customer', id), buildCustomerSource)
    case 'Product':
      return toSource(find(db, 'product', id), buildProductSource)
    case 'ProductVariant':
      return toSource(find(db, 'variant', id), buildVariantSource)
    case 'AbandonedCheckout': {
      const checkout = find(db, 'checkout', id)
      return checkout && isAbandonedCheckout(checkout) ? checkoutSource(context, checkout) : null
    }
    case 'DiscountNode':
      return toSource(find(db, 'discount', id), buildNodeSource)
    case 'DiscountCodeNode':
      return toSource(find(db, 'discount', id), buildCodeNodeSource)
    case 'BulkOperation':
      return toSource(find(db, 'bulk', id), ({ shop }, bulk) => buildBulkSource(shop, bulk))
    case 'WebhookSubscription':
      return toSource(find(db, 'webhook', id), (_context, webhook) => buildWebhookSource(webhook))
    default:
      throw createUnsupportedError(`node of ${type}`)
  }
}

/** A checkout counts as abandoned once it has an email or phone number. */
const isAbandonedCheckout = ({ email, phone }: Checkout) => email !== null || phone !== null
const LISTED_SQL = ` and coalesce(json_extract(doc, '$.email'), json_extract(doc, '$.phone')) is not null`

const COMPLETED_SQL = `json_extract(doc, '$.completedAt') is not null`

function checkoutSpecial({ field, value }: Term): Condition | null {
  const chooseField = (yes: string, no: string) => {
    if (value !== yes && value !== no) throw createUnknownFieldError(`${field}:${value}`)
    return { sql: value === yes ? COMPLETED_SQL : `not ${COMPLETED_SQL}`, values: [] }
  }
  if (field === 'recovery_state') return chooseField('recovered', 'not_recovered')
  return field === 'status' ? chooseField('closed', 'open') : null
}

function checkoutCondition(query: string | null | undefined): Condition {
  const condition = buildCondition(query, TIMESTAMP_FIELDS, checkoutSpecial)
  return { sql: LISTED_SQL + condition.sql, values: condition.values }
}

function orderBy(orders: Record<string, string>, key: string | null | undefined): string {
  const order = orders[key ?? 'ID']
  if (!order) throw createUnknownFieldError(`sortKey ${key}`)
  return order
}

const byDates = { ID: 'id', CREATED_AT: 'created', UPDATED_AT: 'updated' }

function listQueries(context: Context): Source {
  const { db } = context.shop
  const customerFields = {
    ...TIMESTAMP_FIELDS,
    customer_date: TIMESTAMP_FIELDS.created_at!,
    email: { sql: 'key', as: 'text' as const },
  }
  const buildProductCondition = ({ field, value }: Term) =>
    field === 'status' ? { sql: `lower(json_extract(doc, '$.status')) = lower(?)`, values: [value] } : null
  const variantFields = {
    ...TIMESTAMP_FIELDS,
    product_id: { sql: 'owner', as: 'id' as const },
    sku: { sql: 'key', as: 'text' as const },
  }
  return {
    orders: (args: ListArgs) => buildOrdersSource(context, args),
    abandonedCheckouts: (args: ListArgs) => {
      const order = orderBy({ ID: 'id', CHECKOUT_ID: 'id', CREATED_AT: 'created' }, args.sortKey)
      const present = (each: Checkout) => checkoutSource(context, each)
      return paginateRows({ db, kind: 'checkout', condition: checkoutCondition(args.query), order, present }, args)
    },
    customers: (args: ListArgs) => {
      const condition = buildCondition(args.query, customerFields)
      const present = (each: Customer) => buildCustomerSource(context, each)
      return paginateRows({ db, kind: 'customer', condition, order: orderBy(byDates, args.sortKey), present }, args)
    },
    products: (args: ListArgs) => {
      const condition = buildCondition(args.query, TIMESTAMP_FIELDS, buildProductCondition)
      const present = (each: Product) => buildProductSource(context, each)
      return paginateRows({ db, kind: 'product', condition, order: orderBy(byDates, args.sortKey), present }, args)
    },
    productVariants: (args: ListArgs) => {
      const condition = buildCondition(args.query, variantFields, buildVariantCondition)
      const present = (each: Variant) => buildVariantSource(context, each)
      return paginateRows({ db, kind: 'variant', condition, order: orderBy({ ID: 'id' }, args.sortKey), present }, args)
    },
  }
}

/** Comma-separated values of the product's fields. */
function buildVariantCondition({ field, value }: Term): Condition | null {
  const values = value.split(',')
  const marks = values.map(() => '?').join(', ')
  if (field === 'product_ids') return { sql: `owner in (${marks})`, values: values.map(Number) }
  if (field !== 'product_status') return null
  const sql = `owner in (select id from records where kind = 'product' and json_extract(doc, '$.status') in (${marks}))`
  return { sql, values: values.map((each) => each.toUpperCase()) }
}

function countQueries(context: Context): Source {
  const { db } = context.shop
  type CountSource = { query?: string | null; limit?: number | null }
  return {
    ordersCount: ({ query, limit }: CountSource) => countRows(db, 'order', orderCondition(context, query), limit),
    customersCount: ({ query }: CountSource) => countRows(db, 'customer', buildCondition(query, TIMESTAMP_FIELDS)),
    productsCount: ({ query }: CountSource) => countRows(db, 'product', buildCondition(query, TIMESTAMP_FIELDS)),
    abandonedCheckoutsCount: ({ query }: CountSource) => countRows(db, 'checkout', checkoutCondition(query)),
  }
}

function buildDiscountQueries(context: Context): Source {
  const { shop } = context
  const { db } = shop
  const special = ({ field, value }: Term): Condition | null => {
    if (field === 'status') return buildStatusCondition(shop.now(), value)
    if (field === 'code') {
      const sql = `id in (select owner from records where kind = 'code' and key = ? collate nocase)`
      return { sql, values: [value] }
    }
    // This store has no automatic discounts.
    if (field === 'method' && value === 'code') return { sql: 'true', values: [] }
    if (field === 'tag')
      return { sql: `exists (select 1 from json_each(doc, '$.tags') where value = ?)`, values: [value] }
    return null
  }
  const paginated = (source: (context: Context, discount: Discount) => Source) => (args: ListArgs) => {
    const condition = buildCondition(args.query, TIMESTAMP_FIELDS, special)
    const present = (each: Discount) => source(context, each)
    return paginateRows({ db, kind: 'discount', condition, order: orderBy(byDates, args.sortKey), present }, args)
  }
  return { codeDiscountNodes: paginated(buildCodeNodeSource), discountNodes: paginated(buildNodeSource) }
}

function buildStatusCondition(now: number, value: string): Condition {
  const [starts, ends] = [`json_extract(doc, '$.startsAt')`, `json_extract(doc, '$.endsAt')`]
  const isOver = `(${ends} is not null and ${ends} <= ?)`
  const conditions: Record<ReturnType<typeof computeDiscountStatus>, Condition> = {
    EXPIRED: { sql: isOver, values: [now] },
    SCHEDULED: { sql: `not ${isOver} and ${starts} > ?`, values: [now, now] },
    ACTIVE: { sql: `not ${isOver} and ${starts} <= ?`, values: [now, now] },
  }
  const found = conditions[value.toUpperCase() as keyof typeof conditions]
  if (!found) throw createUnknownFieldError(`status:${value}`)
  return found
}

function buildAppQueries(context: Context): Source {
  const { shop } = context
  const buildScopeSource = (handle: string) => ({ handle, description: handle.replaceAll('_', ' ') })
  const { app } = readSetup(shop)
  const appSource = {
    __typename: 'App',
    id: buildGid('App', 91_540_000_001),
    title: 'Recoup',
    handle: 'recoup',
    apiKey: app.clientId,
    embedded: false,
  }
  return {
    app: () => appSource,
    currentAppInstallation: () => ({
      __typename: 'AppInstallation',
      id: buildGid('AppInstallation', 620_000_000_001),
      app: appSource,
      launchUrl: `${shop.home}/admin/apps/recoup`,
      accessScopes: [...context.rights.scopes].map(buildScopeSource),
    }),
    publicApiVersions: () => [{ handle: apiVersion, displayName: apiVersion, supported: true }],
    webhookSubscription: ({ id }: ById) => resolveNode(context, id, 'WebhookSubscription'),
    webhookSubscriptions: (
      args: PageArgs & { topics?: string[] | null; uri?: string | null; callbackUrl?: string | null },
    ) => {
      const uri = args.uri ?? args.callbackUrl
      const hooks = listAll(shop.db, 'webhook').filter(
        (hook) => (!args.topics?.length || args.topics.includes(hook.topic)) && (!uri || hook.uri === uri),
      )
      return paginateList(hooks, args, buildWebhookSource)
    },
    bulkOperation: ({ id }: ById) => resolveNode(context, id, 'BulkOperation'),
    currentBulkOperation: () => {
      const last = listAll(shop.db, 'bulk').at(-1)
      return last ? buildBulkSource(shop, last) : null
    },
    bulkOperations: (args: ListArgs) => {
      if (args.query && args.query !== 'operation_type:query') throw createUnknownFieldError(args.query)
      return paginateList(listAll(shop.db, 'bulk'), args, (bulk) => buildBulkSource(shop, bulk))
    },
  }
}
