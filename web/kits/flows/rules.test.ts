import { expect, it } from 'vitest'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import {
  countParts,
  describeContinuing,
  describeCounts,
  describeRecentCarts,
  explainNoCarts,
  formatVariables,
  insertFlow,
  removeFlows,
  sortFlows,
} from './rules.ts'

const buildFlow = (id: string, position: number) => ({ id, position, name: id }) as FlowView
const listPlaces = (flows: FlowView[]) => flows.map(({ id, position }) => `${position} ${id}`)
const three = [buildFlow('a', 1), buildFlow('b', 2), buildFlow('c', 3)]

it('applies a new order and keeps a flow added since', () => {
  expect(listPlaces(sortFlows(three, ['c', 'a', 'b']))).toEqual(['1 c', '2 a', '3 b'])
  expect(listPlaces(sortFlows(three, ['c', 'b']))).toEqual(['1 c', '2 b', '3 a'])
})

it('inserts a flow at its position: a changed one, a copy after its original, a new one at the end', () => {
  expect(insertFlow(three, { ...buildFlow('b', 2), name: 'new' }).map(({ name }) => name)).toEqual(['a', 'new', 'c'])
  expect(listPlaces(insertFlow(three, buildFlow('x', 2)))).toEqual(['1 a', '2 x', '3 b', '4 c'])
  expect(listPlaces(insertFlow(three, buildFlow('x', 4)))).toEqual(['1 a', '2 b', '3 c', '4 x'])
})

it('finds the flow above that matches every cart, by order, switch and conditions', () => {
  const conditions = { match: 'all', groups: [] } as unknown as FlowView['conditions']
  const [all, some, below] = [
    { ...buildFlow('all', 1), isOn: true, conditions: null },
    { ...buildFlow('some', 2), isOn: true, conditions },
    { ...buildFlow('below', 3), isOn: false, conditions: null },
  ]
  const flows = [all, some, below]
  const buildFlowText = (word: string) =>
    `“all” is above this flow and handles every cart, so this flow ${word} no carts. Move it up, or add conditions to that flow.`
  expect(flows.map((each) => explainNoCarts(flows, each))).toEqual([
    null,
    buildFlowText('gets'),
    buildFlowText('would get'),
  ])
  expect(explainNoCarts([{ ...all, isOn: false }, some, below], below)).toBeNull()
  expect(explainNoCarts([{ ...all, conditions }, some, below], below)).toBeNull()
  const turned = sortFlows(flows, ['some', 'below', 'all'])
  expect(turned.map((each) => explainNoCarts(turned, each))).toEqual([null, null, null])
  // A copy has the conditions of its original.
  const copy = { ...some, id: 'copy', name: 'copy', position: 3, conditions: structuredClone(conditions) }
  const copied = [{ ...all, isOn: false }, some, copy]
  expect(copied.map((each) => explainNoCarts(copied, each))).toEqual([
    null,
    null,
    '“some” is above this flow and has the same conditions, so this flow gets no carts. Move it up, or change the conditions of one flow.',
  ])
  const onTop = sortFlows([all, some, { ...below, isOn: true }], ['below', 'all', 'some'])
  expect(onTop.map((each) => explainNoCarts(onTop, each)?.slice(0, 7) ?? null)).toEqual([null, '“below”', '“below”'])
})

it('shows the variables of a template by their names', () => {
  expect(formatVariables('Hi {{ customer_name }}, {{coupon_code | default: "none"}} at {{ store_name }}')).toBe(
    'Hi [customer name], [coupon code] at [store name]',
  )
  expect(formatVariables('{{ customer_name }}, at {{ store_name }}', { store_name: 'Maple & Clay' })).toBe(
    '[customer name], at Maple & Clay',
  )
})

it('leaves out removed flows and renumbers the others', () => {
  const three = [buildFlow('a', 1), buildFlow('b', 2), buildFlow('c', 3)]
  expect(listPlaces(removeFlows(three, new Set(['a', 'x'])))).toEqual(['1 b', '2 c'])
  expect(removeFlows(three, new Set())).toEqual(three)
})

it('shows every part of the planned total', () => {
  const counts = {
    planned: 8,
    waiting: 1,
    held: 1,
    inFlight: 1,
    sent: 1,
    skipped: 1,
    failed: 1,
    unknown: 1,
    cancelled: 1,
  }
  expect(countParts.reduce((sum, { key }) => sum + counts[key], 0)).toBe(counts.planned)
  expect(describeCounts({ ...counts, held: 0 })).toContain('8 scheduled: sent 1, sending 1, waiting 1, not sent 1')
})

it('describes the carts abandoned before a flow is switched on', () => {
  const above = { name: 'All', conditions: null }
  expect(describeRecentCarts(0, above)).toBe('No carts for this flow: “All” is above it and handles every cart.')
  const same = { name: 'Some', conditions: { match: 'all' as const, groups: [] } }
  expect(describeRecentCarts(0, same)).toBe('No carts for this flow: “Some” is above it and has the same conditions.')
  expect(describeRecentCarts(3, above)).toBe('Abandoned before “All” was switched on, so no flow handles them.')
  expect(describeRecentCarts(0, null)).toBe('No unassigned carts in the last 24 hours.')
  const others = 'Older carts get no messages from this flow.'
  expect([
    describeRecentCarts(3, null),
    describeRecentCarts(undefined, null),
    describeRecentCarts(undefined, above),
  ]).toEqual([others, others, others])
})

it('states that messages scheduled before will continue', () => {
  expect(describeContinuing({ waiting: 0, held: 0 })).toBeNull()
  expect(describeContinuing({ waiting: 1, held: 0 })).toContain('One message scheduled earlier is sent')
  expect(describeContinuing({ waiting: 1_200, held: 34 })).toContain('1,234 messages scheduled earlier are sent')
})
