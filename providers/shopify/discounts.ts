// Code discounts: validates and applies writes. Rejections are user errors, as in the schema.
import type { Code, Discount } from './model.ts'
import { find, findByKey, listByOwner, remove, save, takeNextId } from './records.ts'
import { parseGid, type Shop } from './shop.ts'

export interface UserError {
  field: string[] | null
  message: string
  code?: string | null
}

export interface DiscountInput {
  code?: string | null
  title?: string | null
  startsAt?: string | null
  endsAt?: string | null
  usageLimit?: number | null
  appliesOncePerCustomer?: boolean | null
  tags?: string[] | null
  combinesWith?: Partial<Discount['combinesWith']> | null
  context?: {
    all?: 'ALL' | null
    customers?: { add?: string[]; remove?: string[] } | null
    customerSegments?: unknown
    markets?: unknown
  } | null
  customerSelection?: { all?: boolean | null; customers?: { add?: string[] } | null } | null
  minimumRequirement?: {
    subtotal?: { greaterThanOrEqualToSubtotal?: string | number | null } | null
    quantity?: { greaterThanOrEqualToQuantity?: string | number | null } | null
  } | null
  customerGets?: {
    items?: { all?: boolean | null; products?: { productsToAdd?: string[] } | null; collections?: unknown } | null
    value?: {
      percentage?: number | null
      discountAmount?: { amount?: string | number | null; appliesOnEachItem?: boolean | null } | null
    } | null
  } | null
}

export type DiscountResult = { discount: Discount } | { errors: UserError[] }

const DEFAULT_DISCOUNT: Omit<Discount, 'id' | 'createdAt' | 'updatedAt'> = {
  title: '',
  startsAt: 0,
  endsAt: null,
  value: { kind: 'percentage', fraction: 0 },
  usageLimit: null,
  oncePerCustomer: false,
  minSubtotalMinor: null,
  minQuantity: null,
  customerIds: null,
  productIds: null,
  tags: [],
  combinesWith: { orderDiscounts: false, productDiscounts: false, shippingDiscounts: false },
}

export function createDiscount(shop: Shop, input: DiscountInput): DiscountResult {
  const errors = [
    ...findMissingFields(input),
    ...(input.code ? findCodeErrors(shop, input.code, ['basicCodeDiscount', 'code']) : []),
    ...findInvalidFields(input),
  ]
  if (errors.length) return { errors }
  const at = shop.now()
  const id = takeNextId(shop.db, 'discount')
  const discount = save(shop.db, 'discount', {
    ...applyInput({ ...DEFAULT_DISCOUNT, id, createdAt: at, updatedAt: at }, input),
    id,
  })
  addCode(shop, discount, input.code!)
  return { discount }
}

export function updateDiscount(shop: Shop, id: number, input: DiscountInput): DiscountResult {
  const existing = find(shop.db, 'discount', id)
  if (!existing) return { errors: [UNKNOWN_DISCOUNT] }
  const [own] = listByOwner(shop.db, 'code', id)
  const isNewCode = input.code != null && input.code.toLowerCase() !== own?.code.toLowerCase()
  const errors = [
    ...(isNewCode ? findCodeErrors(shop, input.code!, ['basicCodeDiscount', 'code']) : []),
    ...findInvalidFields({ startsAt: new Date(existing.startsAt).toISOString(), ...input }),
  ]
  if (errors.length) return { errors }
  const discount = save(shop.db, 'discount', { ...applyInput(existing, input), updatedAt: shop.now() })
  if (input.code != null && own) save(shop.db, 'code', { ...own, code: input.code, updatedAt: shop.now() })
  return { discount }
}

export const UNKNOWN_DISCOUNT: UserError = { field: ['id'], message: 'Discount does not exist', code: 'INVALID' }

/** Deactivating ends a discount now; activating starts it now and removes an end in the past. */
export function setDiscountActive(shop: Shop, id: number, isOn: boolean): DiscountResult {
  const existing = find(shop.db, 'discount', id)
  if (!existing) return { errors: [UNKNOWN_DISCOUNT] }
  const at = shop.now()
  const change = isOn
    ? {
        startsAt: Math.min(existing.startsAt, at),
        endsAt: existing.endsAt !== null && existing.endsAt <= at ? null : existing.endsAt,
      }
    : { endsAt: at, startsAt: Math.min(existing.startsAt, at) }
  return { discount: save(shop.db, 'discount', { ...existing, ...change, updatedAt: at }) }
}

export function deleteDiscount(shop: Shop, id: number): boolean {
  for (const code of listByOwner(shop.db, 'code', id)) remove(shop.db, 'code', code.id)
  return remove(shop.db, 'discount', id)
}

export function addCode(shop: Shop, discount: Discount, code: string): Code {
  const at = shop.now()
  const id = takeNextId(shop.db, 'code')
  return save(shop.db, 'code', { id, createdAt: at, updatedAt: at, discountId: discount.id, code, uses: 0 })
}

/** Codes are unique across all discounts, ignoring case. */
export function findCodeErrors(shop: Shop, code: string, field: string[]): UserError[] {
  if (!code.trim()) return [{ field, message: "Code can't be blank", code: 'BLANK' }]
  if (code.length > 255) return [{ field, message: 'Code is too long (maximum is 255 characters)', code: 'TOO_LONG' }]
  if (/[\r\n]/.test(code)) return [{ field, message: 'Code is invalid', code: 'INVALID' }]
  if (findByKey(shop.db, 'code', code))
    return [{ field, message: 'Code must be unique. Please try a different code.', code: 'TAKEN' }]
  return []
}

const fieldPath = (...names: string[]) => ['basicCodeDiscount', ...names]

function findMissingFields(input: DiscountInput): UserError[] {
  const errors: UserError[] = []
  const need = (isThere: unknown, name: string, message: string) => {
    if (!isThere) errors.push({ field: fieldPath(name), message: `${message} can't be blank`, code: 'BLANK' })
  }
  need(input.title?.trim(), 'title', 'Title')
  need(input.code?.trim(), 'code', 'Code')
  need(input.startsAt, 'startsAt', 'Starts at')
  need(input.customerGets?.value, 'customerGets', 'Customer gets')
  need(input.customerGets?.items, 'customerGets', 'Customer gets items')
  const hasCustomers = input.context?.all || input.context?.customers || input.customerSelection
  if (!hasCustomers)
    errors.push({ field: fieldPath('context'), message: 'The input field is missing', code: 'MISSING_ARGUMENT' })
  return errors
}

function findInvalidFields(input: DiscountInput): UserError[] {
  const errors: UserError[] = []
  const say = (field: string[], message: string, code: string) => errors.push({ field, message, code })
  const { value } = input.customerGets ?? {}
  if (value?.percentage != null && value.discountAmount)
    say(fieldPath('customerGets', 'value'), 'Only one value can be given', 'TOO_MANY_ARGUMENTS')
  if (value?.percentage != null && (value.percentage <= 0 || value.percentage > 1))
    say(fieldPath('customerGets', 'value', 'percentage'), 'Value must be between 0.0 and 1.0', 'VALUE_OUTSIDE_RANGE')
  const off = value?.discountAmount?.amount
  if (off != null && Number(off) <= 0)
    say(fieldPath('customerGets', 'value', 'discountAmount', 'amount'), 'Value must be greater than 0', 'GREATER_THAN')
  if (input.usageLimit != null && input.usageLimit < 1)
    say(fieldPath('usageLimit'), 'Usage limit must be greater than 0', 'GREATER_THAN')
  if (input.startsAt && input.endsAt && Date.parse(input.endsAt) <= Date.parse(input.startsAt))
    say(fieldPath('endsAt'), 'Ends at needs to be after starts_at', 'END_DATE_BEFORE_START_DATE')
  if (input.minimumRequirement?.subtotal && input.minimumRequirement.quantity)
    say(
      fieldPath('minimumRequirement'),
      'Both minimums cannot be given',
      'MINIMUM_SUBTOTAL_AND_QUANTITY_RANGE_BOTH_PRESENT',
    )
  if (input.title && input.title.length > 255)
    say(fieldPath('title'), 'Title is too long (maximum is 255 characters)', 'TOO_LONG')
  if (input.context?.customerSegments || input.context?.markets || input.customerGets?.items?.collections)
    say(fieldPath('context'), 'This server does not model segments, markets and collections', 'INVALID')
  return errors
}

function applyInput(existing: Discount, input: DiscountInput): Discount {
  const { minimumRequirement, customerGets, context } = input
  return {
    ...existing,
    ...(input.title != null && { title: input.title }),
    ...(input.startsAt != null && { startsAt: Date.parse(input.startsAt) }),
    ...(input.endsAt !== undefined && { endsAt: input.endsAt === null ? null : Date.parse(input.endsAt) }),
    ...(input.usageLimit !== undefined && { usageLimit: input.usageLimit }),
    ...(input.appliesOncePerCustomer != null && { oncePerCustomer: input.appliesOncePerCustomer }),
    ...(input.tags && { tags: input.tags }),
    ...(input.combinesWith && { combinesWith: { ...existing.combinesWith, ...input.combinesWith } }),
    ...(minimumRequirement !== undefined && parseMinimum(minimumRequirement)),
    ...(context && { customerIds: context.customers ? parseIds(context.customers.add) : null }),
    ...(customerGets?.items && {
      productIds: customerGets.items.products ? parseIds(customerGets.items.products.productsToAdd) : null,
    }),
    ...(customerGets?.value && { value: parseValue(customerGets.value) }),
  }
}

function parseMinimum(wish: DiscountInput['minimumRequirement']) {
  const subtotal = wish?.subtotal?.greaterThanOrEqualToSubtotal
  const quantity = wish?.quantity?.greaterThanOrEqualToQuantity
  return {
    minSubtotalMinor: subtotal == null ? null : Math.round(Number(subtotal) * 100),
    minQuantity: quantity == null ? null : Number(quantity),
  }
}

function parseValue(value: NonNullable<NonNullable<DiscountInput['customerGets']>['value']>): Discount['value'] {
  if (value.discountAmount) {
    const minor = Math.round(Number(value.discountAmount.amount ?? 0) * 100)
    return { kind: 'amount', minor, isOnEachItem: value.discountAmount.appliesOnEachItem ?? false }
  }
  return { kind: 'percentage', fraction: value.percentage ?? 0 }
}

const parseIds = (gids: string[] | undefined) => (gids ?? []).flatMap((text) => parseGid(text) ?? [])
