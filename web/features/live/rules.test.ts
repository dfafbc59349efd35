import { expect, test } from 'vitest'
import { type LivePart, liveParts } from '../../../shared/workspace/live.ts'
import { isOutdatedBy, isResting } from './rules.ts'

const listOutdatedParts = (key: unknown[]) => liveParts.filter((part: LivePart) => isOutdatedBy([part], key))

test('refetches on each screen exactly what has changed', () => {
  expect(listOutdatedParts(['carts', 's1', {}])).toEqual(['carts'])
  expect(listOutdatedParts(['cart', 'c1'])).toEqual(['carts'])
  expect(listOutdatedParts(['cart', 'c1', 'messages'])).toEqual(['carts', 'messages'])
  expect(listOutdatedParts(['flows'])).toEqual(['flows'])
  expect(listOutdatedParts(['flows', 'f1', 'upcoming'])).toEqual(['messages', 'flows'])
  expect(listOutdatedParts(['send-job', 's1', 'j1', 1])).toEqual(['messages'])
  expect(listOutdatedParts(['campaigns', 's1', 'list', {}])).toEqual(['messages'])
  expect(listOutdatedParts(['dashboard', 's1', 'stats'])).toEqual(['stats'])
  expect(listOutdatedParts(['connection'])).toEqual(['settings'])
  expect(listOutdatedParts(['coupons', 's1', {}])).toEqual(['coupons'])
})

test('never rechecks the store, its sender or the session because of a store event', () => {
  for (const key of [['store', 's1', 'doctor'], ['store', 's1', 'sender-domain', 'x'], ['me'], ['subscription']]) {
    expect(listOutdatedParts(key)).toEqual([])
  }
})

test('pauses a failed query for half a minute, but not one with data to show', () => {
  const failed = { status: 'error', data: undefined, errorUpdatedAt: 100_000 } as const
  expect(isResting(failed, 129_999)).toBe(true)
  expect(isResting(failed, 130_000)).toBe(false)
  expect(isResting({ ...failed, data: {} }, 100_001)).toBe(false)
  expect(isResting({ status: 'pending', data: undefined, errorUpdatedAt: 100_000 }, 100_001)).toBe(false)
})
