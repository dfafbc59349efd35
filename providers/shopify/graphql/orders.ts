// Orders and checkouts.
import type { Checkout, Line, Order, Reduction } from '../model.ts'
import { find, findByKey } from '../records.ts'
import { buildGid, shopId } from '../shop.ts'
import { buildMoneyBag, buildMoneySource, type Context, formatTime, type Source, splitByShare } from './context.ts'
import { buildAddressSource, buildCustomerSource, computeOldestReadableTime } from './customers.ts'
import { type PageArgs, paginateList, paginateRows } from './pages.ts'
import { buildProductSource, buildVariantSource, lineImage } from './products.ts'
import { buildCondition, createUnknownFieldError, type Searchable, type Term } from './search.ts'

export type ListArgs = PageArgs & { query?: string | null; sortKey?: string | null }

const buildTextField = (name: string): Searchable => ({ sql: `json_extract(doc, '$.${name}')`, as: 'text' })

export const TIMESTAMP_FIELDS: Record<string, Searchable> = {
  id: { sql: 'id', as: 'id' },
  created_at: { sql: 'created', as: 'time' },
  updated_at: { sql: 'updated', as: 'time' },
}

const ORDER_FIELDS: Record<string, Searchable> = {
  ...TIMESTAMP_FIELDS,
  processed_at: { sql: 'created', as: 'time' },
  customer_id: { sql: 'owner', as: 'id' },
  checkout_token: { sql: 'key', as: 'text' },
  cart_token: buildTextField('cartToken'),
  email: buildTextField('email'),
  financial_status: buildTextField('financialStatus'),
  source_name: buildTextField('sourceName'),
}

const ORDER_SORT_KEYS: Record<string, string> = {
  ID: 'id',
  CREATED_AT: 'created',
  PROCESSED_AT: 'created',
  UPDATED_AT: 'updated',
}

function orderSpecial({ field, value }: Term) {
  const none = { sql: 'true', values: [] }
  if (field === 'test') return { sql: `json_extract(doc, '$.isTest') = ?`, values: [value === 'true' ? 1 : 0] }
  if (field !== 'status') return null
  const cancelled = `json_extract(doc, '$.cancelledAt') is not null`
  const closed = `json_extract(doc, '$.closedAt') is not null`
  if (value === 'any') return none
  if (value === 'cancelled') return { sql: cancelled, values: [] }
  if (value === 'closed') return { sql: closed, values: [] }
  if (value === 'open') return { sql: `not ${cancelled} and not ${closed}`, values: [] }
  throw createUnknownFieldError(`status:${value}`)
}

export function orderCondition(context: Context, query: string | null | undefined, customerId?: number) {
  const condition = buildCondition(query, ORDER_FIELDS, orderSpecial)
  const owner = customerId === undefined ? '' : ' and owner = ?'
  return {
    sql: ` and created >= ?${owner}${condition.sql}`,
    values: [
      computeOldestReadableTime(context),
      ...(customerId === undefined ? [] : [customerId]),
      ...condition.values,
    ],
  }
}

export function buildOrdersSource(context: Context, args: ListArgs, customerId?: number): Source {
  const order = ORDER_SORT_KEYS[args.sortKey ?? 'PROCESSED_AT']
  if (!order) throw createUnknownFieldError(`sortKey ${args.sortKey}`)
  const condition = orderCondition(context, args.query, customerId)
  const present = (each: Order) => orderSource(context, each)
  return paginateRows({ db: context.shop.db, kind: 'order', condition, order, present }, args)
}

export function orderSource(context: Context, order: Order): Source {
  const { shop } = context
  return {
    __typename: 'Order',
    id: buildGid('Order', order.id),
    legacyResourceId: String(order.id),
    name: `#${order.number}`,
    number: order.number,
    createdAt: formatTime(order.createdAt),
    processedAt: formatTime(order.createdAt),
    updatedAt: formatTime(order.updatedAt),
    cancelledAt: formatTime(order.cancelledAt),
    closedAt: formatTime(order.closedAt),
    cancelReason: order.cancelReason,
    closed: order.closedAt !== null,
    confirmed: true,
    test: order.isTest,
    email: order.email,
    phone: order.phone,
    customerLocale: order.locale,
    note: null,
    tags: [],
    customerAcceptsMarketing: order.acceptsEmail,
    sourceName: order.sourceName,
    clientIp: null,
    checkoutToken: order.checkoutToken,
    cartToken: order.cartToken,
    customAttributes: [],
    discountCode: order.codes[0] ?? null,
    discountCodes: order.codes,
    displayFinancialStatus: order.financialStatus,
    displayFulfillmentStatus: order.fulfillmentStatus,
    currencyCode: 'USD',
    presentmentCurrencyCode: 'USD',
    taxesIncluded: false,
    taxExempt: false,
    fullyPaid: ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(order.financialStatus),
    unpaid: ['PENDING', 'AUTHORIZED', 'EXPIRED'].includes(order.financialStatus),
    statusPageUrl: `${shop.home}/orders/${order.key}/authenticate`,
    ...orderTotals(order),
    customer: () => findCustomerSource(context, order.customerId),
    shippingAddress: order.address && buildAddressSource(order.address, order.id),
    billingAddress: order.address && buildAddressSource(order.address, order.id),
    displayAddress: order.address && buildAddressSource(order.address, order.id),
    lineItems: (args: PageArgs) => {
      const allocations = allocateReductions(order)
      return paginateList(order.lines, args, (line) =>
        buildLineSource(context, line, order, allocations.get(line) ?? []),
      )
    },
    discountApplications: (args: PageArgs) =>
      paginateList(order.reductions, args, (each) =>
        buildApplicationSource(context, each, order.reductions.indexOf(each)),
      ),
    app: order.sourceName === 'web' ? { id: buildGid('OrderApp', 580_111), name: 'Online Store' } : null,
  }
}

function orderTotals(order: Order): Source {
  const paid = ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(order.financialStatus) ? order.totalMinor : 0
  const owed = order.cancelledAt === null && paid === 0 ? order.totalMinor : 0
  return {
    totalPriceSet: buildMoneyBag(order.totalMinor),
    originalTotalPriceSet: buildMoneyBag(order.totalMinor),
    currentTotalPriceSet: buildMoneyBag(order.totalMinor - order.refundedMinor),
    subtotalPriceSet: buildMoneyBag(order.subtotalMinor - order.discountMinor),
    currentSubtotalPriceSet: buildMoneyBag(order.subtotalMinor - order.discountMinor),
    totalDiscountsSet: buildMoneyBag(order.discountMinor),
    currentTotalDiscountsSet: buildMoneyBag(order.discountMinor),
    totalShippingPriceSet: buildMoneyBag(order.shippingMinor),
    totalTaxSet: buildMoneyBag(0),
    totalRefundedSet: buildMoneyBag(order.refundedMinor),
    totalReceivedSet: buildMoneyBag(paid),
    netPaymentSet: buildMoneyBag(paid - order.refundedMinor),
    totalOutstandingSet: buildMoneyBag(owed),
  }
}

function findCustomerSource(context: Context, id: number | null): Source | null {
  const customer = id === null ? undefined : find(context.shop.db, 'customer', id)
  return customer ? buildCustomerSource(context, customer) : null
}

const computeLineTotal = (line: Line) => line.unitMinor * line.quantity

type Allocation = { reduction: Reduction; index: number; minor: number }

/** Each code's discount on each line. */
function allocateReductions({ lines, reductions }: Pick<Order, 'lines' | 'reductions'>): Map<Line, Allocation[]> {
  const found = new Map<Line, Allocation[]>(lines.map((line) => [line, []]))
  for (const [index, reduction] of reductions.entries()) {
    const parts = splitByShare(reduction.minor, lines.map(computeLineTotal))
    for (const [at, minor] of parts.entries()) found.get(lines[at]!)!.push({ reduction, index, minor })
  }
  return found
}

function buildLineSource(context: Context, line: Line, order: Order, allocations: Allocation[]): Source {
  const off = allocations.reduce((sum, { minor }) => sum + minor, 0)
  const remainingMinor = computeLineTotal(line) - off
  return {
    __typename: 'LineItem',
    id: buildGid('LineItem', line.id),
    name: line.variantTitle ? `${line.title} - ${line.variantTitle}` : line.title,
    currentQuantity: line.quantity,
    isGiftCard: false,
    requiresShipping: true,
    taxable: true,
    ...buildCommonLineSource(context, line),
    originalUnitPriceSet: buildMoneyBag(line.unitMinor),
    originalTotalSet: buildMoneyBag(computeLineTotal(line)),
    discountedTotalSet: buildMoneyBag(remainingMinor),
    discountedUnitPriceSet: buildMoneyBag(line.unitMinor),
    discountedUnitPriceAfterAllDiscountsSet: buildMoneyBag(Math.round(remainingMinor / line.quantity)),
    totalDiscountSet: buildMoneyBag(off),
    discountAllocations: allocations.map(({ reduction, index, minor }) => ({
      allocatedAmountSet: buildMoneyBag(minor),
      discountApplication: () => buildApplicationSource(context, reduction, index),
    })),
    refundableQuantity: order.refundedMinor > 0 ? 0 : line.quantity,
  }
}

/** Fields that order and checkout lines share. A deleted product is null; its name stays. */
function buildCommonLineSource(context: Context, line: Line): Source {
  const { shop } = context
  return {
    title: line.title,
    variantTitle: line.variantTitle,
    sku: line.sku,
    quantity: line.quantity,
    customAttributes: [],
    image: () => lineImage(shop, line.picture, line.title),
    product: () => {
      const product = find(shop.db, 'product', line.productId)
      return product ? buildProductSource(context, product) : null
    },
    variant: () => {
      const variant = find(shop.db, 'variant', line.variantId)
      return variant ? buildVariantSource(context, variant) : null
    },
  }
}

function buildApplicationSource({ shop }: Context, { code, minor }: Reduction, index: number): Source {
  const owner = findByKey(shop.db, 'code', code)
  const discount = owner && find(shop.db, 'discount', owner.discountId)
  const fraction = discount?.value.kind === 'percentage' ? discount.value.fraction : null
  return {
    __typename: 'DiscountCodeApplication',
    code,
    index,
    allocationMethod: 'ACROSS',
    targetSelection: 'ALL',
    targetType: 'LINE_ITEM',
    value:
      fraction === null
        ? buildMoneySource(minor)
        : { __typename: 'PricingPercentageValue', percentage: fraction * 100 },
  }
}

export function checkoutSource(context: Context, checkout: Checkout): Source {
  const { shop } = context
  const address = checkout.address && buildAddressSource(checkout.address, checkout.id)
  return {
    __typename: 'AbandonedCheckout',
    id: buildGid('AbandonedCheckout', checkout.id),
    name: `#${checkout.id}`,
    abandonedCheckoutUrl: buildRecoveryUrl(shop.home, checkout),
    createdAt: formatTime(checkout.createdAt),
    updatedAt: formatTime(checkout.updatedAt),
    completedAt: formatTime(checkout.completedAt),
    customer: () => findCustomerSource(context, checkout.customerId),
    note: '',
    customAttributes: [],
    taxLines: [],
    taxesIncluded: false,
    discountCodes: checkout.codes,
    totalPriceSet: buildMoneyBag(checkout.totalMinor),
    subtotalPriceSet: buildMoneyBag(checkout.subtotalMinor - checkout.discountMinor),
    totalLineItemsPriceSet: buildMoneyBag(checkout.subtotalMinor),
    totalDiscountSet: buildMoneyBag(checkout.discountMinor),
    totalTaxSet: buildMoneyBag(0),
    totalDutiesSet: null,
    shippingAddress: address,
    billingAddress: address,
    lineItems: (args: PageArgs) => paginateList(checkout.lines, args, (line) => checkoutLine(context, line)),
  }
}

export const buildRecoveryUrl = (home: string, { token, key, locale }: Checkout) =>
  `${home}/${shopId}/checkouts/ac/${token}/recover?key=${key}&locale=${locale}`

function checkoutLine(context: Context, line: Line): Source {
  return {
    __typename: 'AbandonedCheckoutLineItem',
    id: buildGid('AbandonedCheckoutLineItem', line.id),
    ...buildCommonLineSource(context, line),
    originalUnitPriceSet: buildMoneyBag(line.unitMinor),
    originalTotalPriceSet: buildMoneyBag(computeLineTotal(line)),
    discountedUnitPriceSet: buildMoneyBag(line.unitMinor),
    discountedTotalPriceSet: buildMoneyBag(computeLineTotal(line)),
    discountedTotalPriceWithCodeDiscount: buildMoneyBag(computeLineTotal(line)),
    discountedUnitPriceWithCodeDiscount: buildMoneyBag(line.unitMinor),
  }
}
