// Code discounts in the schema's form.
import type { Code, Discount } from '../model.ts'
import { find, listByOwner, listWhere } from '../records.ts'
import { buildGid, type Shop } from '../shop.ts'
import { buildMoneySource, type Context, formatTime, type Source } from './context.ts'
import { buildCustomerSource } from './customers.ts'
import { type PageArgs, paginateList } from './pages.ts'
import { buildProductSource } from './products.ts'

export function buildCodeNodeSource(context: Context, discount: Discount): Source {
  return {
    __typename: 'DiscountCodeNode',
    id: buildGid('DiscountCodeNode', discount.id),
    codeDiscount: buildDiscountSource(context, discount),
  }
}

export function buildNodeSource(context: Context, discount: Discount): Source {
  return {
    __typename: 'DiscountNode',
    id: buildGid('DiscountNode', discount.id),
    discount: buildDiscountSource(context, discount),
  }
}

export function computeDiscountStatus(
  { now }: Shop,
  { startsAt, endsAt }: Discount,
): 'ACTIVE' | 'EXPIRED' | 'SCHEDULED' {
  if (endsAt !== null && endsAt <= now()) return 'EXPIRED'
  return startsAt > now() ? 'SCHEDULED' : 'ACTIVE'
}

function buildDiscountSource(context: Context, discount: Discount): Source {
  const { shop } = context
  const codes = () => listByOwner(shop.db, 'code', discount.id)
  return {
    __typename: 'DiscountCodeBasic',
    title: discount.title,
    status: computeDiscountStatus(shop, discount),
    startsAt: formatTime(discount.startsAt),
    endsAt: formatTime(discount.endsAt),
    createdAt: formatTime(discount.createdAt),
    updatedAt: formatTime(discount.updatedAt),
    usageLimit: discount.usageLimit,
    appliesOncePerCustomer: discount.oncePerCustomer,
    recurringCycleLimit: 1,
    tags: discount.tags,
    asyncUsageCount: () => codes().reduce((sum, { uses }) => sum + uses, 0),
    combinesWith: { ...discount.combinesWith, productDiscountsWithTagsOnSameCartLine: null },
    discountClass: discount.productIds ? 'PRODUCT' : 'ORDER',
    discountClasses: [discount.productIds ? 'PRODUCT' : 'ORDER'],
    summary: discount.title,
    shortSummary: discount.title,
    codesCount: () => ({ count: codes().length, precision: 'EXACT' }),
    codes: (args: PageArgs & { query?: string | null }) => buildCodesSource(shop, discount, args),
    customerGets: () => ({
      appliesOnOneTimePurchase: true,
      appliesOnSubscription: false,
      items: buildItemsSource(context, discount),
      value: buildValueSource(discount),
    }),
    customerSelection: () => buildCustomerSelectionSource(context, discount),
    context: () => buildBuyerSource(context, discount),
    minimumRequirement: buildMinimumSource(discount),
  }
}

function buildCodesSource(shop: Shop, discount: Discount, args: PageArgs & { query?: string | null }): Source {
  // A discount can have thousands of codes, so this reads the requested page only.
  const ids = listWhere<'code'>(shop.db, 'kind = ? and owner = ? order by id', 'code', discount.id)
  return paginateList(ids, args, buildCodeSource)
}

export const buildCodeSource = ({ id, code, uses }: Code): Source => ({
  __typename: 'DiscountRedeemCode',
  id: buildGid('DiscountRedeemCode', id),
  code,
  asyncUsageCount: uses,
  createdBy: null,
})

function buildValueSource({ value }: Discount): Source {
  return value.kind === 'percentage'
    ? { __typename: 'DiscountPercentage', percentage: value.fraction }
    : { __typename: 'DiscountAmount', amount: buildMoneySource(value.minor), appliesOnEachItem: value.isOnEachItem }
}

function buildItemsSource(context: Context, { productIds }: Discount): Source {
  if (!productIds) return { __typename: 'AllDiscountItems', allItems: true }
  const products = () => productIds.flatMap((id) => find(context.shop.db, 'product', id) ?? [])
  return {
    __typename: 'DiscountProducts',
    products: (args: PageArgs) => paginateList(products(), args, (each) => buildProductSource(context, each)),
    productVariants: (args: PageArgs) => paginateList([], args, (each) => each),
  }
}

function buildBuyerSource(context: Context, { customerIds }: Discount): Source {
  if (!customerIds) return { __typename: 'DiscountBuyerSelectionAll', all: 'ALL' }
  return { __typename: 'DiscountCustomers', customers: () => findCustomers(context, customerIds) }
}

/** The deprecated field with the same content. */
function buildCustomerSelectionSource(context: Context, { customerIds }: Discount): Source {
  if (!customerIds) return { __typename: 'DiscountCustomerAll', allCustomers: true }
  return { __typename: 'DiscountCustomers', customers: () => findCustomers(context, customerIds) }
}

const findCustomers = (context: Context, ids: number[]) =>
  ids.flatMap((id) => find(context.shop.db, 'customer', id) ?? []).map((each) => buildCustomerSource(context, each))

function buildMinimumSource({ minSubtotalMinor, minQuantity }: Discount): Source | null {
  if (minSubtotalMinor !== null)
    return { __typename: 'DiscountMinimumSubtotal', greaterThanOrEqualToSubtotal: buildMoneySource(minSubtotalMinor) }
  if (minQuantity !== null)
    return { __typename: 'DiscountMinimumQuantity', greaterThanOrEqualToQuantity: String(minQuantity) }
  return null
}
