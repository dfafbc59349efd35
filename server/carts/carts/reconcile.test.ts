import { expect, test } from 'vitest'
import type { Episode } from '../../core/schema/facts.ts'
import { type CartRow, locateFacts, planCarts } from './reconcile.ts'

// Episodes against existing rows. Times are milliseconds; `a` is the fact that opens both an episode and a row.

function episode(openingFactId: string, more: Partial<Episode> = {}): Episode {
  const base = { status: 'open', startedAt: 0, lastActivityAt: 0, endedAt: null, items: [], coupons: [] } as const
  return {
    ...base,
    items: [],
    coupons: [],
    openingFactId,
    contact: {},
    currency: null,
    pending: null,
    orderId: null,
    ...more,
  }
}

function row(opening: string, more: Partial<CartRow> = {}): CartRow {
  const at = new Date(0)
  return {
    id: `row-${opening}`,
    status: 'active',
    opening_fact_id: opening,
    started_at: at,
    last_activity_at: at,
    ended_at: null,
    abandon_at: null,
    abandoned_at: null,
    last_sent_at: null,
    ...more,
  }
}

const never = () => false
const plan = (
  episodes: Episode[],
  rows: CartRow[],
  order: [string, number][] = [],
  isRecovered = never as () => boolean,
) => planCarts(episodes, rows, new Map(order), isRecovered)

test('an episode without a row becomes a new, active cart', () => {
  expect(plan([episode('a')], [])).toMatchObject({ carts: [{ row: null, status: 'active' }], merged: [] })
})

test('activity before any send makes an abandoned cart active again (S2)', () => {
  const abandoned = row('a', { status: 'abandoned' })
  expect(plan([episode('a', { lastActivityAt: 5 })], [abandoned], [['a', 0]]).carts[0]!.status).toBe('active')
  expect(plan([episode('a')], [abandoned], [['a', 0]]).carts[0]!.status).toBe('abandoned')
})

test('a cart stays abandoned after a send, even if a cart merged into it had the send (S2, S6)', () => {
  const mailed = { status: 'abandoned', last_sent_at: new Date(1) } as const
  const moved = [episode('a', { lastActivityAt: 5 })]
  expect(plan(moved, [row('a', mailed)], [['a', 0]]).carts[0]!.status).toBe('abandoned')
  const both = [row('a', { status: 'abandoned' }), row('b', { ...mailed, started_at: new Date(2) })]
  expect(
    plan(moved, both, [
      ['a', 0],
      ['b', 0],
    ]).carts[0]!.status,
  ).toBe('abandoned')
})

test('a purchase is recovered if a touch precedes it, else purchased (S3)', () => {
  const bought = [episode('a', { status: 'purchased', endedAt: 9, orderId: '1' })]
  expect(plan(bought, [row('a')], [['a', 0]], () => true).carts[0]!.status).toBe('recovered')
  expect(plan(bought, [row('a')], [['a', 0]]).carts[0]!.status).toBe('purchased')
})

test('of several rows in one episode the earlier start survives, then the lower id (S6)', () => {
  const order: [string, number][] = [
    ['a', 0],
    ['b', 0],
    ['c', 0],
  ]
  const late = row('a', { started_at: new Date(5) })
  const { carts, merged } = plan([episode('b')], [late, row('c'), row('b')], order)
  expect(carts[0]!.row!.id).toBe('row-b')
  expect(merged.map((each) => [each.row.id, each.into.id])).toEqual([
    ['row-c', 'row-b'],
    ['row-a', 'row-b'],
  ])
})

test('a late purchase that splits an episode keeps the row for the first part (S7)', () => {
  const episodes = [episode('a', { status: 'purchased', endedAt: 3, orderId: '1' }), episode('b', { startedAt: 5 })]
  const { carts } = plan(episodes, [row('a', { status: 'abandoned' })], [['a', 0]])
  expect(carts.map((each) => [each.row?.id ?? null, each.status])).toEqual([
    ['row-a', 'purchased'],
    [null, 'active'],
  ])
})

test('rows without an episode are orphans (S7)', () => {
  expect(plan([], [row('a')]).orphans).toHaveLength(1)
})

test('a fact belongs to the last episode that began at or before it', () => {
  const order = new Map(['x', 'a', 'm', 'b', 'n'].map((id, index) => [id, index]))
  const found = locateFacts([episode('a'), episode('b')], order, ['x', 'a', 'm', 'b', 'n'])
  expect([...found.values()]).toEqual([0, 0, 0, 1, 1])
})
