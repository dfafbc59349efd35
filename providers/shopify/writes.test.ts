import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openAppClient, openShopify } from '../contracts/shopify.ts'
import type { ShopifyStore } from './store.ts'

// Mutations of apps: discounts with codes, and bulk operations.

const knife = 44_100_000_000_001
let store: ShopifyStore
let ask: Awaited<ReturnType<typeof openAppClient>>

beforeAll(async () => {
  store = await openShopify()
})

beforeEach(async () => {
  store.reset()
  ask = await openAppClient(store)
})

afterAll(() => store.stop())

const good = {
  title: 'Recovery',
  code: 'BACK-1',
  startsAt: '2026-01-01T00:00:00Z',
  usageLimit: 1,
  context: { all: 'ALL' },
  customerGets: { value: { percentage: 0.1 }, items: { all: true } },
}

async function createDiscount(change: Record<string, unknown> = {}) {
  const { data } = await ask(
    `mutation A($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) {
      codeDiscountNode { id codeDiscount { ... on DiscountCodeBasic { title status usageLimit endsAt
        codes(first: 5) { nodes { id code asyncUsageCount } }
        customerGets { value { __typename ... on DiscountPercentage { percentage } ... on DiscountAmount { amount { amount } } } }
        minimumRequirement { ... on DiscountMinimumSubtotal { greaterThanOrEqualToSubtotal { amount } } } } } }
      userErrors { field message code } } }`,
    { d: { ...good, ...change } },
  )
  return data.discountCodeBasicCreate
}

test('creates a discount with its code and reads it back', async () => {
  const { codeDiscountNode, userErrors } = await createDiscount({
    minimumRequirement: { subtotal: { greaterThanOrEqualToSubtotal: '50.00' } },
  })
  expect(userErrors).toEqual([])
  expect(codeDiscountNode.codeDiscount).toMatchObject({
    title: 'Recovery',
    status: 'ACTIVE',
    usageLimit: 1,
    endsAt: null,
    codes: { nodes: [{ code: 'BACK-1', asyncUsageCount: 0 }] },
    customerGets: { value: { percentage: 0.1 } },
    minimumRequirement: { greaterThanOrEqualToSubtotal: { amount: '50.0' } },
  })
})

test.each([
  ['an existing code in any letter case', { code: 'sprout10' }, ['code'], 'TAKEN'],
  ['no code', { code: '' }, ['code'], 'BLANK'],
  ['no title', { title: '' }, ['title'], 'BLANK'],
  ['no customer selection', { context: null }, ['context'], 'MISSING_ARGUMENT'],
  ['an end before the start', { endsAt: '2025-01-01T00:00:00Z' }, ['endsAt'], 'END_DATE_BEFORE_START_DATE'],
  ['no uses', { usageLimit: 0 }, ['usageLimit'], 'GREATER_THAN'],
  [
    'a percentage above the whole',
    { customerGets: { value: { percentage: 10 }, items: { all: true } } },
    ['customerGets', 'value', 'percentage'],
    'VALUE_OUTSIDE_RANGE',
  ],
])('%s is a user error', async (_name, change, field, code) => {
  const { codeDiscountNode, userErrors } = await createDiscount(change)
  expect(codeDiscountNode).toBeNull()
  expect(userErrors[0]).toMatchObject({ field: ['basicCodeDiscount', ...field], code })
})

test('deactivates, activates, extends and deletes a discount', async () => {
  const { codeDiscountNode } = await createDiscount()
  const { id } = codeDiscountNode
  const readStatus = async (name: string) => {
    const { data } = await ask(
      `mutation { ${name}(id: "${id}") { codeDiscountNode { codeDiscount { ... on DiscountCodeBasic { status } } } userErrors { message } } }`,
    )
    return data[name].codeDiscountNode.codeDiscount.status
  }
  expect(await readStatus('discountCodeDeactivate')).toBe('EXPIRED')
  expect(await readStatus('discountCodeActivate')).toBe('ACTIVE')
  const added =
    await ask(`mutation { discountRedeemCodeBulkAdd(discountId: "${id}", codes: [{ code: "X-1" }, { code: "SPROUT10" }]) {
    bulkCreation { importedCount failedCount done codes(first: 5) { nodes { code errors { code } } } } userErrors { message } } }`)
  expect(added.data.discountRedeemCodeBulkAdd.bulkCreation).toMatchObject({
    importedCount: 1,
    failedCount: 1,
    codes: {
      nodes: [
        { code: 'X-1', errors: [] },
        { code: 'SPROUT10', errors: [{ code: 'TAKEN' }] },
      ],
    },
  })
  await ask(`mutation { discountCodeDelete(id: "${id}") { deletedCodeDiscountId } }`)
  expect((await ask('{ codeDiscountNodeByCode(code: "x-1") { id } }')).data.codeDiscountNodeByCode).toBeNull()
})

test('rejects a list of more than 250 items', async () => {
  const { codeDiscountNode } = await createDiscount()
  const codes = Array.from({ length: 251 }, (_, at) => ({ code: `C-${at}` }))
  const { errors } = await ask(
    `mutation A($id: ID!, $codes: [DiscountRedeemCodeInput!]!) { discountRedeemCodeBulkAdd(discountId: $id, codes: $codes) { userErrors { message } } }`,
    { id: codeDiscountNode.id, codes },
  )
  expect(errors[0]!.message).toContain('greater than the maximum allowed of 250')
})

async function runBulk(query: string, isGrouped = false) {
  const { data } = await ask(
    `mutation A($q: String!, $g: Boolean!) { bulkOperationRunQuery(query: $q, groupObjects: $g) { bulkOperation { id status } userErrors { code message } } }`,
    { q: query, g: isGrouped },
  )
  await store.settled()
  return data.bulkOperationRunQuery
}

const orders = '{ orders { edges { node { id name lineItems { edges { node { title } } } } } } }'

async function readBulkFile() {
  const { data } = await ask(
    '{ bulkOperations(first: 1, reverse: true) { nodes { status errorCode url objectCount rootObjectCount } } }',
  )
  const [operation] = data.bulkOperations.nodes
  const text = operation.url ? await (await fetch(operation.url)).text() : ''
  return {
    operation,
    rows: text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

function placeThreeOrders() {
  for (const quantity of [1, 2, 3]) {
    store.controls.pay(store.controls.beginCheckout([{ variantId: knife, quantity }], { email: 'a@example.com' }).id)
  }
}

test('writes parents and children of a bulk operation, grouped only on request', async () => {
  placeThreeOrders()
  expect((await runBulk(orders)).userErrors).toEqual([])
  const apart = await readBulkFile()
  expect(apart.operation).toMatchObject({ status: 'COMPLETED', objectCount: '6', rootObjectCount: '3' })
  expect(apart.rows.map((row) => '__parentId' in row)).toEqual([false, false, false, true, true, true])
  await runBulk(orders, true)
  const grouped = await readBulkFile()
  expect(grouped.rows.map((row) => '__parentId' in row)).toEqual([false, true, false, true, false, true])
  expect(grouped.rows[1].__parentId).toBe(grouped.rows[0].id)
})

test('serves a byte range of a bulk file without a token', async () => {
  placeThreeOrders()
  await runBulk(orders)
  const { operation } = await readBulkFile()
  const part = await fetch(operation.url, { headers: { range: 'bytes=0-9' } })
  expect([part.status, (await part.text()).length, part.headers.get('content-range')]).toEqual([
    206,
    10,
    expect.stringMatching(/^bytes 0-9\/\d+$/),
  ])
  expect((await fetch(operation.url, { headers: { range: 'bytes=999999-' } })).status).toBe(416)
  expect((await fetch(operation.url, { headers: { 'x-shopify-access-token': 'x' } })).status).toBe(400)
})

test.each([
  ['{ shop { name } }', 'at least one connection'],
  ['{ orders { edges { node { name lineItems { edges { node { title } } } } } } }', 'must select the ID field'],
  ['{ orders { edges { node { nothing } } } }', "Field 'nothing' doesn't exist on type 'Order'"],
])('rejects %s as a bulk query', async (query, message) => {
  const { bulkOperation, userErrors } = await runBulk(query)
  expect(bulkOperation).toBeNull()
  expect(userErrors[0].message).toContain(message)
})

test('runs one bulk operation at a time, can cancel it, and fails without the scope', async () => {
  placeThreeOrders()
  const start = () =>
    ask(`mutation { bulkOperationRunQuery(query: "${orders}") { bulkOperation { id status } userErrors { code } } }`)
  const [first, second] = [await start(), await start()]
  const operation = first.data.bulkOperationRunQuery.bulkOperation
  if (second.data.bulkOperationRunQuery.userErrors.length)
    expect(second.data.bulkOperationRunQuery.userErrors[0].code).toBe('OPERATION_IN_PROGRESS')
  await ask(`mutation { bulkOperationCancel(id: "${operation.id}") { bulkOperation { status } } }`)
  await store.settled()
  store.controls.setScopes(['read_products'])
  ask = await openAppClient(store)
  await runBulk('{ orders { edges { node { id } } } }')
  expect((await readBulkFile()).operation).toMatchObject({ status: 'FAILED', errorCode: 'ACCESS_DENIED', url: null })
})
