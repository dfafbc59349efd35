import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata } from './lists.ts'
import type { StripeState } from './state.ts'

// Products and prices.

export const catalogue: Handlers = {
  'Products.create': ({ world, params }: Call<Stripe.ProductCreateParams>) => {
    if (params.id && world.find('product', params.id)) {
      throw createInvalidError(`Product already exists: ${params.id}`, 'id', 'resource_already_exists')
    }
    return makeProduct(world, params)
  },
  'Products.retrieve': ({ world, id }: Call<unknown>) => world.need('product', id),
  'Products.update': ({ world, id, params }: Call<Stripe.ProductUpdateParams>) => {
    const product = world.need('product', id)
    world.update('product.updated', product, () => {
      if (params.name !== undefined) product.name = params.name
      if (params.active !== undefined) product.active = params.active
      if (params.description !== undefined) product.description = params.description || null
      if (params.tax_code !== undefined) product.tax_code = params.tax_code || null
      product.metadata = mergeMetadata(product.metadata, params.metadata)
      product.updated = world.now
    })
    return product
  },
  'Products.list': ({ world, params }: Call<Stripe.ProductListParams>) => {
    const { ids, ...rest } = params
    return listKind(
      world,
      'product',
      rest as ListParams & Record<string, unknown>,
      ['active'],
      ({ id }) => !ids || ids.includes(id),
    )
  },
  'Prices.create': ({ world, params }: Call<Stripe.PriceCreateParams>) => {
    if (params.lookup_key) claimLookupKey(world, params.lookup_key, params.transfer_lookup_key === true)
    return makePrice(world, params)
  },
  'Prices.retrieve': ({ world, id }: Call<unknown>) => world.need('price', id),
  'Prices.update': ({ world, id, params }: Call<Stripe.PriceUpdateParams>) => updatePrice(world, id, params),
  'Prices.list': ({ world, params }: Call<Stripe.PriceListParams>) => {
    if ((params.lookup_keys?.length ?? 0) > 10)
      throw createInvalidError('You may only specify up to 10 lookup_keys.', 'lookup_keys')
    return listPrices(world, params)
  },
}

function makeProduct(world: StripeState, params: Stripe.ProductCreateParams): Stripe.Product {
  const product = buildObject<Stripe.Product>('Products', 'Product', {
    id: params.id ?? world.id('prod'),
    active: params.active ?? true,
    created: world.now,
    updated: world.now,
    name: params.name,
    description: params.description ?? null,
    metadata: mergeMetadata(null, params.metadata),
    tax_code: params.tax_code ?? null,
    type: 'service',
  })
  world.put('product', product)
  world.emit('product.created', product)
  return product
}

function makePrice(world: StripeState, params: Stripe.PriceCreateParams): Stripe.Price {
  if (!params.product && !params.product_data) {
    throw createInvalidError(
      'You must specify either `product` or `product_data` when creating a price.',
      'product',
      'parameter_missing',
    )
  }
  if (params.product) world.need('product', params.product, 'product')
  const amount = params.unit_amount
  if (amount === undefined) {
    throw createInvalidError('Missing required param: unit_amount.', 'unit_amount', 'parameter_missing')
  }
  assertAmount(amount)
  const product = params.product ?? makeProduct(world, { name: params.product_data!.name }).id
  const price = buildPrice(world, { ...params, product, unit_amount: amount })
  world.put('price', price)
  world.emit('price.created', price)
  return price
}

function assertAmount(amount: number): void {
  if (!Number.isInteger(amount))
    throw createInvalidError(`Invalid integer: ${amount}`, 'unit_amount', 'parameter_invalid_integer')
  if (amount < 0) {
    throw createInvalidError(
      'This value must be greater than or equal to 0.',
      'unit_amount',
      'parameter_invalid_integer',
    )
  }
}

type Priced = Pick<Stripe.PriceCreateParams, 'currency' | 'lookup_key' | 'nickname' | 'metadata' | 'tax_behavior'> & {
  product: string
  unit_amount: number
  active?: boolean
  recurring?: { interval: string; interval_count?: number }
}

function buildPrice(world: StripeState, params: Priced): Stripe.Price {
  const { recurring } = params
  return buildObject<Stripe.Price>('Prices', 'Price', {
    id: world.id('price'),
    active: params.active ?? true,
    billing_scheme: 'per_unit',
    created: world.now,
    currency: params.currency,
    lookup_key: params.lookup_key ?? null,
    metadata: mergeMetadata(null, params.metadata),
    nickname: params.nickname ?? null,
    product: params.product,
    recurring: recurring
      ? { interval: recurring.interval, interval_count: recurring.interval_count ?? 1, usage_type: 'licensed' }
      : null,
    tax_behavior: params.tax_behavior ?? 'unspecified',
    type: recurring ? 'recurring' : 'one_time',
    unit_amount: params.unit_amount,
    unit_amount_decimal: String(params.unit_amount),
  })
}

/** Creates a price that a checkout line defines (`price_data`): inactive, because it is used once. */
export function createInlinePrice(
  world: StripeState,
  data: Stripe.Checkout.SessionCreateParams.LineItem.PriceData,
  path: string,
) {
  if (data.unit_amount === undefined) {
    throw createInvalidError(
      `Missing required param: ${path}[unit_amount].`,
      `${path}[unit_amount]`,
      'parameter_missing',
    )
  }
  assertAmount(data.unit_amount)
  if (!data.product && !data.product_data) {
    throw createInvalidError(`You must specify either \`product\` or \`product_data\` in ${path}.`, path)
  }
  if (data.product) world.need('product', data.product, `${path}[product]`)
  const product = data.product ?? makeProduct(world, { name: data.product_data!.name, active: false }).id
  const { currency, unit_amount, recurring } = data
  return world.put(
    'price',
    buildPrice(world, { currency, unit_amount, product, active: false, ...(recurring && { recurring }) }),
  )
}

function claimLookupKey(world: StripeState, key: string, isTransferred: boolean, mine?: string): void {
  const owner = world.all('price').find((one) => one.lookup_key === key && one.id !== mine)
  if (!owner) return
  if (!isTransferred) {
    throw createInvalidError(
      `A price (\`${owner.id}\`) already uses that lookup key. Pass \`transfer_lookup_key=true\` to transfer it.`,
      'lookup_key',
    )
  }
  world.update('price.updated', owner, () => {
    owner.lookup_key = null
  })
  refreshItems(world, owner)
}

function updatePrice(world: StripeState, id: string, params: Stripe.PriceUpdateParams): Stripe.Price {
  const price = world.need('price', id)
  if (params.lookup_key) claimLookupKey(world, params.lookup_key, params.transfer_lookup_key === true, id)
  world.update('price.updated', price, () => {
    if (params.active !== undefined) price.active = params.active
    if (params.lookup_key !== undefined) price.lookup_key = params.lookup_key || null
    if (params.nickname !== undefined) price.nickname = params.nickname || null
    price.metadata = mergeMetadata(price.metadata, params.metadata)
  })
  refreshItems(world, price)
  return price
}

/** Subscriptions embed their prices, so these have to follow. */
function refreshItems(world: StripeState, price: Stripe.Price): void {
  for (const { items } of world.all('subscription')) {
    for (const item of items.data) if (item.price.id === price.id) item.price = structuredClone(price)
  }
}

function listPrices(world: StripeState, { lookup_keys, recurring, ...rest }: Stripe.PriceListParams) {
  const isMatch = ({ lookup_key, recurring: own }: Stripe.Price) =>
    (!lookup_keys || (lookup_key !== null && lookup_keys.includes(lookup_key))) &&
    (!recurring?.interval || own?.interval === recurring.interval)
  const filters = ['active', 'product', 'currency', 'type'] as const
  return listKind(world, 'price', rest as ListParams & Record<string, unknown>, [...filters], isMatch)
}
