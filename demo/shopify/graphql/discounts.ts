// Code discounts as the schema has them.
import type { Code, Discount } from '../model.ts'
import { find, listed, ofOwner } from '../records.ts'
import { gid, type Shop } from '../shop.ts'
import { type Context, money, type Source, time } from './context.ts'
import { productSource } from './goods.ts'
import { type PageArgs, pageOfList } from './pages.ts'
import { customerSource } from './people.ts'

export function codeNodeSource(context: Context, discount: Discount): Source {
  return {
    __typename: 'DiscountCodeNode',
    id: gid('DiscountCodeNode', discount.id),
    codeDiscount: discountSource(context, discount),
  }
}

export function nodeSource(context: Context, discount: Discount): Source {
  return {
    __typename: 'DiscountNode',
    id: gid('DiscountNode', discount.id),
    discount: discountSource(context, discount),
  }
}

export function statusOf({ now }: Shop, { startsAt, endsAt }: Discount): 'ACTIVE' | 'EXPIRED' | 'SCHEDULED' {
  if (endsAt !== null && endsAt <= now()) return 'EXPIRED'
  return startsAt > now() ? 'SCHEDULED' : 'ACTIVE'
}

function discountSource(context: Context, discount: Discount): Source {
  const { shop } = context
  const codes = () => ofOwner(shop.db, 'code', discount.id)
  return {
    __typename: 'DiscountCodeBasic',
    title: discount.title,
    status: statusOf(shop, discount),
    startsAt: time(discount.startsAt),
    endsAt: time(discount.endsAt),
    createdAt: time(discount.createdAt),
    updatedAt: time(discount.updatedAt),
    usageLimit: discount.usageLimit,
    ...{ appliesOncePerCustomer: discount.oncePerCustomer, recurringCycleLimit: 1, tags: discount.tags },
    asyncUsageCount: () => codes().reduce((sum, { uses }) => sum + uses, 0),
    combinesWith: { ...discount.combinesWith, productDiscountsWithTagsOnSameCartLine: null },
    discountClass: discount.productIds ? 'PRODUCT' : 'ORDER',
    discountClasses: [discount.productIds ? 'PRODUCT' : 'ORDER'],
    summary: discount.title,
    shortSummary: discount.title,
    codesCount: () => ({ count: codes().length, precision: 'EXACT' }),
    codes: (args: PageArgs & { query?: string | null }) => codesOf(shop, discount, args),
    customerGets: () => ({
      ...{ appliesOnOneTimePurchase: true, appliesOnSubscription: false },
      items: itemsOf(context, discount),
      value: givenValue(discount),
    }),
    customerSelection: () => selectionOf(context, discount),
    context: () => contextOf(context, discount),
    minimumRequirement: minimumOf(discount),
  }
}

function codesOf(shop: Shop, discount: Discount, args: PageArgs & { query?: string | null }): Source {
  // Thousands of codes may hang on one discount: only those that are asked for are read.
  const ids = listed<'code'>(shop.db, 'kind = ? and owner = ? order by id', 'code', discount.id)
  return pageOfList(ids, args, codeSource)
}

export const codeSource = ({ id, code, uses }: Code): Source => ({
  __typename: 'DiscountRedeemCode',
  id: gid('DiscountRedeemCode', id),
  code,
  asyncUsageCount: uses,
  createdBy: null,
})

function givenValue({ value }: Discount): Source {
  return value.kind === 'percentage'
    ? { __typename: 'DiscountPercentage', percentage: value.fraction }
    : { __typename: 'DiscountAmount', amount: money(value.minor), appliesOnEachItem: value.isOnEachItem }
}

function itemsOf(context: Context, { productIds }: Discount): Source {
  if (!productIds) return { __typename: 'AllDiscountItems', allItems: true }
  const products = () => productIds.flatMap((id) => find(context.shop.db, 'product', id) ?? [])
  return {
    __typename: 'DiscountProducts',
    products: (args: PageArgs) => pageOfList(products(), args, (each) => productSource(context, each)),
    productVariants: (args: PageArgs) => pageOfList([], args, (each) => each),
  }
}

function contextOf(context: Context, { customerIds }: Discount): Source {
  if (!customerIds) return { __typename: 'DiscountBuyerSelectionAll', all: 'ALL' }
  return { __typename: 'DiscountCustomers', customers: () => customersOf(context, customerIds) }
}

/** The older field for the same. */
function selectionOf(context: Context, { customerIds }: Discount): Source {
  if (!customerIds) return { __typename: 'DiscountCustomerAll', allCustomers: true }
  return { __typename: 'DiscountCustomers', customers: () => customersOf(context, customerIds) }
}

const customersOf = (context: Context, ids: number[]) =>
  ids.flatMap((id) => find(context.shop.db, 'customer', id) ?? []).map((each) => customerSource(context, each))

function minimumOf({ minSubtotalMinor, minQuantity }: Discount): Source | null {
  if (minSubtotalMinor !== null)
    return { __typename: 'DiscountMinimumSubtotal', greaterThanOrEqualToSubtotal: money(minSubtotalMinor) }
  if (minQuantity !== null)
    return { __typename: 'DiscountMinimumQuantity', greaterThanOrEqualToQuantity: String(minQuantity) }
  return null
}
