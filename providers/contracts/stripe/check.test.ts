import { expect, it } from 'vitest'
import { buildObject } from './build.ts'
import { findProblems } from './check.ts'
import { listOperations } from './operations.ts'
import { findDeclaredSchema, readObjectSchema } from './schema.ts'

// Checks replies against the declared types.

const period = (object: object) => findProblems(object, readObjectSchema('InvoiceLineItems', 'InvoiceLineItem.Period'))

it('finds missing, mistyped and unknown fields', () => {
  expect(period({ start: 1, end: 2 })).toEqual([])
  expect(period({ start: 1 })).toEqual(['.end is missing'])
  expect(period({ start: '1', end: 2 })).toEqual(['.start: "1" is not number'])
  expect(period({ start: 1, end: 2, middle: 3 })).toEqual(['.middle is not declared'])
  expect(findProblems(null, readObjectSchema('InvoiceLineItems', 'InvoiceLineItem.Period'))).toHaveLength(1)
})

it('finds an error deep inside an event', () => {
  const product = buildObject('Products', 'Product', {
    id: 'prod_1',
    created: 1,
    updated: 1,
    name: 'A',
    type: 'service',
  })
  const buildEvent = (object: object) => ({
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
  const schema = findDeclaredSchema('Events', 'ProductCreatedEvent')
  expect(findProblems(buildEvent(product), schema)).toEqual([])
  expect(findProblems(buildEvent({ ...(product as object), name: null }), schema)).toEqual([
    '.data.object.name: null is not string',
  ])
})

it('accepts new values of an open enumeration, and no other type', () => {
  const status = findDeclaredSchema('Subscriptions', 'Subscription.Status')
  expect(findProblems('active', status)).toEqual([])
  expect(findProblems('new_in_spring', status)).toEqual([])
  expect(findProblems(3, status)).toHaveLength(1)
})

it('fills required fields with the emptiest value, and throws where there is none', () => {
  expect(buildObject('Invoices', 'Invoice.StatusTransitions', { paid_at: 5 } as object)).toEqual({
    finalized_at: null,
    marked_uncollectible_at: null,
    paid_at: 5,
    voided_at: null,
  })
  expect(() => buildObject('Products', 'Product', { id: 'prod_1' } as object)).toThrow('Product.created must be given')
  expect(() =>
    buildObject('InvoiceLineItems', 'InvoiceLineItem.Period', { start: 1, end: 2, shine: 1 } as object),
  ).toThrow('has no shine')
})

it('reads parameters and replies of every operation of its resources', () => {
  expect(listOperations().length).toBeGreaterThan(120)
  for (const { id, parameters, answer } of listOperations()) {
    expect(parameters === null || parameters.fields.size >= 0, id).toBe(true)
    expect(answer.kind, id).toMatch(/object|union/)
  }
})
