import { expect, test } from 'vitest'
import { type EngagementEvent, evaluateBurst } from './burst.ts'

let n = 0
const createEvent = (changed: Partial<EngagementEvent> & { at: number }): EngagementEvent => ({
  id: `v${++n}`,
  kind: 'click',
  link: 'cart',
  class: 'human',
  ...changed,
})
const reasons = (...visits: EngagementEvent[]) => evaluateBurst(visits).map(({ id, reason }) => [id, reason])

test('visits shortly before or after the honeypot link are a machine’s', () => {
  const before = createEvent({ at: 0 })
  const open = createEvent({ at: 9_000, kind: 'open' })
  const honeypot = createEvent({ at: 10_000, kind: 'honeypot', class: 'machine' })
  const after = createEvent({ at: 25_000 })
  const person = createEvent({ at: 25_001 })
  expect(reasons(before, open, honeypot, after, person)).toEqual([
    [before.id, 'honeypot_burst'],
    [open.id, 'honeypot_burst'],
    [after.id, 'honeypot_burst'],
  ])
})

test('three links within seconds are a machine’s, the same link three times is not', () => {
  const burst = ['cart', 'sale', 'out'].map((link, at) => createEvent({ link, at: at * 2_000 }))
  expect(reasons(...burst)).toEqual(burst.map(({ id }) => [id, 'many_links']))
  expect(reasons(...[0, 300, 2_000].map((at) => createEvent({ at })))).toEqual([])
})

test('two links count as a machine’s only when they are opened faster than a person can', () => {
  const fast = [createEvent({ at: 0 }), createEvent({ at: 999, kind: 'unsubscribe_link', link: 'out' })]
  expect(reasons(...fast)).toEqual(fast.map(({ id }) => [id, 'many_links']))
  expect(reasons(createEvent({ at: 0 }), createEvent({ at: 1_000, link: 'sale' }))).toEqual([])
})

test('links one after the other over minutes are a person’s', () => {
  expect(reasons(...['cart', 'sale', 'out', 'more'].map((link, at) => createEvent({ link, at: at * 5_001 })))).toEqual(
    [],
  )
})

test('a human click during a scanner’s visit stays human', () => {
  expect(reasons(createEvent({ at: 0, class: 'machine' }), createEvent({ at: 400 }))).toEqual([])
})
