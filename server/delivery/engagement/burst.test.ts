import { expect, test } from 'vitest'
import { evaluateBurst, type SeenEvent } from './burst.ts'

let n = 0
const seen = (changed: Partial<SeenEvent> & { at: number }): SeenEvent => ({
  id: `v${++n}`,
  kind: 'click',
  link: 'cart',
  class: 'human',
  ...changed,
})
const reasons = (...visits: SeenEvent[]) => evaluateBurst(visits).map(({ id, reason }) => [id, reason])

test('visits shortly before or after the honeypot link are a machine’s', () => {
  const before = seen({ at: 0 })
  const open = seen({ at: 9_000, kind: 'open' })
  const honeypot = seen({ at: 10_000, kind: 'honeypot', class: 'machine' })
  const after = seen({ at: 25_000 })
  const person = seen({ at: 25_001 })
  expect(reasons(before, open, honeypot, after, person)).toEqual([
    [before.id, 'honeypot_burst'],
    [open.id, 'honeypot_burst'],
    [after.id, 'honeypot_burst'],
  ])
})

test('three links within seconds are a machine’s, the same link three times is not', () => {
  const burst = ['cart', 'sale', 'out'].map((link, at) => seen({ link, at: at * 2_000 }))
  expect(reasons(...burst)).toEqual(burst.map(({ id }) => [id, 'many_links']))
  expect(reasons(...[0, 300, 2_000].map((at) => seen({ at })))).toEqual([])
})

test('two links are a machine’s only when faster than by hand', () => {
  const fast = [seen({ at: 0 }), seen({ at: 999, kind: 'unsubscribe_link', link: 'out' })]
  expect(reasons(...fast)).toEqual(fast.map(({ id }) => [id, 'many_links']))
  expect(reasons(seen({ at: 0 }), seen({ at: 1_000, link: 'sale' }))).toEqual([])
})

test('links one after the other over minutes are a person’s', () => {
  expect(reasons(...['cart', 'sale', 'out', 'more'].map((link, at) => seen({ link, at: at * 5_001 })))).toEqual([])
})

test('a human click during a scanner’s visit stays human', () => {
  expect(reasons(seen({ at: 0, class: 'machine' }), seen({ at: 400 }))).toEqual([])
})
