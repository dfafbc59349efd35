import { expect, test } from 'vitest'
import type { BoxCount } from '../../../shared/shoppers/consent-box.ts'
import { buildCountRows, countTicksApart } from './BoxSettings.tsx'

const buildCount = (more: Partial<BoxCount>): BoxCount => ({
  channel: 'email',
  place: 'block',
  language: '',
  shown: 0,
  ticked: 0,
  tickedAlone: 0,
  ...more,
})

test('shows one row per place in a fixed order, and lines only if there are several texts', () => {
  const rows = buildCountRows([
    buildCount({ channel: 'sms', shown: 4, ticked: 1 }),
    buildCount({ place: 'account', shown: 2 }),
    buildCount({ shown: 6, ticked: 3 }),
    buildCount({ language: 'de', shown: 2, ticked: 1 }),
    buildCount({ language: null, shown: 2, ticked: 0 }),
  ])
  expect(rows.map(({ key, shown, ticked, share }) => [key, shown, ticked, share])).toEqual([
    ['email block', 10, 4, 0.4],
    ['email account', 2, 0, 0],
    ['sms block', 4, 1, 0.25],
  ])
  expect(rows[0]!.lines.map(({ language, share }) => [language, share])).toEqual([
    ['Main text', 0.5],
    ['German', 0.5],
    ['Earlier texts', 0],
  ])
  expect(rows[1]!.lines).toEqual([])
})

test('shows no share for ticks of a store that stores nothing before consent, and separates them', () => {
  const alone = buildCount({ place: 'classic', tickedAlone: 5 })
  expect(buildCountRows([alone])).toMatchObject([{ shown: null, ticked: 5, share: null }])
  expect(countTicksApart([alone])).toBe(0)
  const mixed = buildCount({ shown: 4, ticked: 2, tickedAlone: 3 })
  expect(buildCountRows([mixed])).toMatchObject([{ shown: 4, ticked: 2, share: 0.5 }])
  expect(countTicksApart([alone, mixed])).toBe(3)
})
