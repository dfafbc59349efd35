import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { createNamedCard, isNamedCard } from './cards.ts'
import { createInvalidError, createMissingError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata, pageRows } from './lists.ts'
import { listObjects, type StripeState } from './state.ts'
import { endSubscription } from './subscription-status.ts'

// Customers and their cards.

export const customers: Handlers = {
  'Customers.create': ({ world, params }: Call<Stripe.CustomerCreateParams>) => createCustomer(world, params),
  'Customers.retrieve': ({ world, id }: Call<unknown>) => world.need('customer', id),
  'Customers.update': ({ world, id, params }: Call<Stripe.CustomerUpdateParams>) => {
    const customer = requireCustomer(world, id, 'id')
    world.update('customer.updated', customer, () => applyChanges(world, customer, params))
    return customer
  },
  'Customers.del': ({ world, id }: Call<unknown>) => {
    const customer = requireCustomer(world, id, 'id')
    for (const one of world.all('subscription'))
      if (one.customer === id && !one.ended_at) endSubscription(world, one, null)
    for (const one of world.all('payment_method')) if (one.customer === id) detachCard(world, one)
    const deleted: Stripe.DeletedCustomer = { id, object: 'customer', deleted: true }
    world.put('customer', deleted)
    world.emit('customer.deleted', customer)
    return deleted
  },
  'Customers.list': ({ world, params }: Call<Stripe.CustomerListParams>) =>
    listKind(
      world,
      'customer',
      params as ListParams & Record<string, unknown>,
      ['email' as never],
      ({ deleted }) => !deleted,
    ),
  'Customers.listPaymentMethods': ({ world, id, params }: Call<Stripe.CustomerListPaymentMethodsParams>) => {
    requireCustomer(world, id, 'id')
    const own = world
      .all('payment_method')
      .filter(({ customer, type }) => customer === id && (params.type ?? type) === type)
    return pageRows(own, params as ListParams, `/v1/customers/${id}/payment_methods`, 'PaymentMethod')
  },
  'Customers.listTaxIds': ({ world, id }: Call<unknown>) => {
    requireCustomer(world, id, 'id')
    return listObjects([], `/v1/customers/${id}/tax_ids`)
  },
  'PaymentMethods.retrieve': ({ world, id }: Call<unknown>) => world.need('payment_method', id, 'id', 'PaymentMethod'),
  'PaymentMethods.list': ({ world, params }: Call<Stripe.PaymentMethodListParams>) => {
    if (params.customer) requireCustomer(world, params.customer, 'customer')
    return listKind(world, 'payment_method', params as ListParams & Record<string, unknown>, ['customer', 'type'])
  },
  'PaymentMethods.attach': ({ world, id, params }: Call<Stripe.PaymentMethodAttachParams>) => {
    requireCustomer(world, params.customer!, 'customer')
    const method = isNamedCard(id)
      ? createNamedCard(world, id)
      : world.need('payment_method', id, 'id', 'PaymentMethod')
    if (method.customer && method.customer !== params.customer) {
      throw createInvalidError(
        'The payment method you provided has already been attached to a customer.',
        'payment_method',
      )
    }
    attachCard(world, method, params.customer!)
    return method
  },
  'PaymentMethods.detach': ({ world, id }: Call<unknown>) => {
    const method = world.need('payment_method', id, 'id', 'PaymentMethod')
    if (!method.customer) {
      throw createInvalidError(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
        'payment_method',
      )
    }
    detachCard(world, method)
    return method
  },
}

/** Returns an existing customer. A deleted one can only be read. */
export function requireCustomer(world: StripeState, id: string, param = 'customer'): Stripe.Customer {
  const customer = world.need('customer', id, param)
  if (customer.deleted) throw createMissingError('customer', id, param, param === 'id' ? 404 : 400)
  return customer
}

export function createCustomer(world: StripeState, params: Stripe.CustomerCreateParams): Stripe.Customer {
  const id = world.id('cus')
  const customer = buildObject<Stripe.Customer>('Customers', 'Customer', {
    id,
    balance: params.balance ?? 0,
    created: world.now,
    delinquent: false,
    invoice_prefix: id.slice(-8),
    invoice_settings: {},
    metadata: {},
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: 'none',
  })
  applyChanges(world, customer, params)
  world.put('customer', customer)
  world.emit('customer.created', customer)
  return customer
}

type Changes = Stripe.CustomerUpdateParams & Pick<Stripe.CustomerCreateParams, 'payment_method'>

function applyChanges(world: StripeState, customer: Stripe.Customer, params: Changes): void {
  for (const field of ['email', 'name', 'phone', 'description'] as const) {
    if (params[field] !== undefined) customer[field] = params[field] || null
  }
  if (params.address !== undefined) customer.address = params.address ? buildAddress(params.address) : null
  if (params.tax_exempt !== undefined) customer.tax_exempt = params.tax_exempt || 'none'
  if (params.balance !== undefined) customer.balance = params.balance
  if (params.payment_method) {
    const methodId = params.payment_method
    const method = isNamedCard(methodId)
      ? createNamedCard(world, methodId)
      : world.need('payment_method', methodId, 'payment_method', 'PaymentMethod')
    attachCard(world, method, customer.id)
  }
  const chosen = params.invoice_settings?.default_payment_method
  if (chosen) assertOwnCard(world, chosen, customer.id, 'invoice_settings[default_payment_method]')
  if (chosen !== undefined) customer.invoice_settings.default_payment_method = chosen || null
  customer.metadata = mergeMetadata(customer.metadata, params.metadata)
}

export function buildAddress(params: Stripe.AddressParam): Stripe.Address {
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = params
  return { city, country, line1, line2, postal_code, state }
}

export function assertOwnCard(world: StripeState, method: string, customer: string, param: string): void {
  const card = world.need('payment_method', method, param, 'PaymentMethod')
  if (card.customer === customer) return
  throw createInvalidError(
    'The customer does not have a payment method with the ID ' +
      `${method}. The payment method must be attached to the customer.`,
    param,
    'resource_missing',
  )
}

export function attachCard(world: StripeState, method: Stripe.PaymentMethod, customer: string): void {
  if (method.customer === customer) return
  method.customer = customer
  world.emit('payment_method.attached', method)
}

export function detachCard(world: StripeState, method: Stripe.PaymentMethod): void {
  const customer = method.customer
  world.update('payment_method.detached', method, () => {
    method.customer = null
  })
  for (const one of world.all('customer')) {
    if (one.deleted || one.id !== customer) continue
    if (one.invoice_settings.default_payment_method === method.id) one.invoice_settings.default_payment_method = null
  }
  for (const one of world.all('subscription')) {
    if (one.default_payment_method === method.id) one.default_payment_method = null
  }
}
