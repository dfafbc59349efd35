import { expect, it } from 'vitest'
import { build } from './build.ts'
import { problemsOf } from './check.ts'
import { operations } from './operations.ts'
import { declared, objectSchema } from './schema.ts'

// Answers are checked by the declared types: this is what the check finds.

const period = (given: object) => problemsOf(given, objectSchema('InvoiceLineItems', 'InvoiceLineItem.Period'))

it('finds what is missing, mistyped or made up', () => {
  expect(period({ start: 1, end: 2 })).toEqual([])
  expect(period({ start: 1 })).toEqual(['.end is missing'])
  expect(period({ start: '1', end: 2 })).toEqual(['.start: "1" is not number'])
  expect(period({ start: 1, end: 2, middle: 3 })).toEqual(['.middle is not declared'])
  expect(problemsOf(null, objectSchema('InvoiceLineItems', 'InvoiceLineItem.Period'))).toHaveLength(1)
})

it('finds a fault deep inside an event', () => {
  const product = build('Products', 'Product', { id: 'prod_1', created: 1, updated: 1, name: 'A', type: 'service' })
  const event = (object: object) => ({
    id: 'evt_1',
    object: 'event',
    api_version: null,
    created: 1,
    livemode: false,
    pending_webhooks: 0,
    request: null,
    type: 'product.created',
    data: { object },
  })
  const schema = declared('Events', 'ProductCreatedEvent')
  expect(problemsOf(event(product), schema)).toEqual([])
  expect(problemsOf(event({ ...(product as object), name: null }), schema)).toEqual([
    '.data.object.name: null is not string',
  ])
})

it('takes values that Stripe may add to an enumeration, but nothing of another type', () => {
  const status = declared('Subscriptions', 'Subscription.Status')
  expect(problemsOf('active', status)).toEqual([])
  expect(problemsOf('new_in_spring', status)).toEqual([])
  expect(problemsOf(3, status)).toHaveLength(1)
})

it('fills what a type demands with the emptiest value, and refuses to guess', () => {
  expect(build('Invoices', 'Invoice.StatusTransitions', { paid_at: 5 } as object)).toEqual({
    finalized_at: null,
    marked_uncollectible_at: null,
    paid_at: 5,
    voided_at: null,
  })
  expect(() => build('Products', 'Product', { id: 'prod_1' } as object)).toThrow('Product.created must be given')
  expect(() => build('InvoiceLineItems', 'InvoiceLineItem.Period', { start: 1, end: 2, shine: 1 } as object)).toThrow(
    'has no shine',
  )
})

it('reads the parameters and answers of every operation of its resources', () => {
  expect(operations().length).toBeGreaterThan(120)
  for (const { id, parameters, answer } of operations()) {
    expect(parameters === null || parameters.fields.size >= 0, id).toBe(true)
    expect(answer.kind, id).toMatch(/object|union/)
  }
})
