import { expect, it } from 'vitest'
import { buildDetail, buildPreview, sampleStores } from '../../../screens/billing-answers.ts'
import {
  buildDueLines,
  describeMissing,
  describeNextBill,
  describePrice,
  describeWakeOptions,
  findRestingStores,
  isSame,
  parseChoice,
  proposeRestingStores,
} from './change-copy.ts'

const { subscription: detail } = buildDetail({ plan: 'starter', billingCycle: 'year', extraStores: 3 })
const readChange = (plan: string, cycle: string | null = null, stores: string | null = null) =>
  parseChoice({ plan, cycle, stores }, detail)

it('reads a change from the address and keeps the current value of missing or unsold parts', () => {
  expect(readChange('growth', 'month', '2')).toEqual({ plan: 'growth', cycle: 'month', extraStores: 2 })
  expect(readChange('growth')).toEqual({ plan: 'growth', cycle: 'year', extraStores: 3 })
  for (const other of ['free', 'enterprise', '__proto__', '']) expect(readChange(other, 'week').plan).toBe('starter')
  expect(readChange('growth', 'week', '-1')).toEqual({ plan: 'growth', cycle: 'year', extraStores: 3 })
  expect(readChange('growth', 'month', '99').extraStores).toBe(20)
  expect(readChange('same', null, 'more')).toEqual({ plan: 'starter', cycle: 'year', extraStores: 4 })
  expect(isSame(readChange('starter'), detail)).toBe(true)
  for (const other of [readChange('growth'), readChange('starter', 'month'), readChange('starter', 'year', '0')]) {
    expect(isSame(other, detail)).toBe(false)
  }
})

it.each([
  ['starter', 'month', 0, '$19.00 a month'],
  ['growth', 'year', 0, '$468.00 a year'],
  ['growth', 'month', 2, '$69.00 a month'],
  ['starter', 'year', 1, '$300.00 a year'],
] as const)('%s by the %s with %i extra stores costs %s', (plan, cycle, extraStores, text) => {
  expect(describePrice({ plan, cycle, extraStores })).toBe(text)
})

it('lists each line of the amount due and omits zero lines', () => {
  expect(buildDueLines(buildPreview())).toEqual([
    ['New plan, until the next bill', '$22.60'],
    ['Credit for time already paid', '-$7.60'],
    ['Tax', '$1.50'],
    ['Due now', '$16.50'],
  ])
  expect(buildDueLines(buildPreview({ credit: 0, tax: 0, charge: 0, dueNow: 0 })).map(([name]) => name)).toEqual([
    'New plan, until the next bill',
    'Due now',
  ])
})

it('announces a next bill in a trial without a card only if a card is added', () => {
  const bill = { nextAmount: 4_900, nextDate: '2026-12-10T12:00:00.000Z' }
  expect(describeNextBill(buildPreview(bill))).toBe('The next bill is $49.00, on Dec 10, 2026.')
  expect(describeNextBill(buildPreview({ ...bill, nextDate: null }))).toBe('The next bill is $49.00.')
  expect(describeNextBill(buildPreview({ ...bill, needsCard: true }))).toBe(
    'If you add a card, the next bill is $49.00, on Dec 10, 2026. Without one the account moves to Lite when the trial ends.',
  )
})

it('lists the stores that rest when the limit shrinks: the owner’s choice, then the newest', () => {
  const stores = sampleStores.map((store, at) => ({ ...store, restsFirst: at === 0 }))
  expect(findRestingStores(stores, 1)).toEqual(['Third Floor', 'Kiln Road'])
  expect(findRestingStores(stores, 2)).toEqual(['Kiln Road'])
  expect(findRestingStores(stores, 3)).toEqual([])
})

it.each([
  ['free', 'stripe', 'free', 'To activate it, choose a larger plan, or make another store inactive.'],
  [
    'starter',
    'stripe',
    'stripe',
    'To activate it, choose a larger plan or an extra store, or make another store inactive.',
  ],
  ['growth', 'stripe', 'stripe', 'To activate it, choose an extra store, or make another store inactive.'],
  ['starter', 'test', 'test', 'To activate it, choose a larger plan, or make another store inactive.'],
  ['free', 'none', 'default', 'To activate it, make another store inactive.'],
] as const)('explains how to activate a store on %s (%s, %s)', (planInForce, sells, source, text) => {
  expect(describeWakeOptions({ planInForce, sells, source })).toBe(text)
})

it('proposes the stores that would rest by default: those resting already, then the newest', () => {
  const [first, second, third] = sampleStores
  const ids = (storesTooMany: number, stores = sampleStores) =>
    proposeRestingStores(buildPreview({ storesTooMany, stores }))
  expect(ids(0)).toEqual([])
  expect(ids(1)).toEqual([third!.id])
  expect(ids(2)).toEqual([third!.id, second!.id])
  expect(ids(2, [{ ...first!, isResting: true }, second!, third!])).toEqual([first!.id, third!.id])
})

it.each([
  [2, 0, 'Choose 2 stores to make inactive.'],
  [1, 0, 'Choose 1 store to make inactive.'],
  [2, 1, 'Choose 1 more store to make inactive.'],
  [2, 2, null],
  [1, 3, null],
])('with %i stores that must rest and %i chosen: %s', (needed, chosen, text) => {
  expect(describeMissing(needed, chosen)).toBe(text)
})
