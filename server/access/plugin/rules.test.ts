import { expect, test } from 'vitest'
import type { PluginRow } from './plugin-sql.ts'
import { canBeRead, computeReadAt } from './rules.ts'

const now = new Date('2026-03-02T15:00:00.000Z')
const subtractMinutes = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const plugin = (change: Partial<PluginRow>) =>
  ({ is_reached: false, reach_code: null, beat_at: subtractMinutes(1), reports_goods: null, ...change }) as PluginRow

test.each<[string, Partial<PluginRow>, boolean]>([
  ['answers under another address', { reach_code: 'moved' }, true],
  ['answers what cannot be read', { reach_code: 'bad_answer' }, true],
  ['is connected to another account', { reach_code: 'other_account' }, true],
  ['never answers', { reach_code: 'timeout' }, false],
  ['was not tried', {}, false],
  ['is reached', { is_reached: true, reach_code: 'moved' }, false],
  ['was never called', { is_reached: null, reach_code: 'moved' }, false],
  ['reports stock', { reach_code: 'moved', reports_goods: true }, false],
  ['reported stock a while ago', { reach_code: 'moved', reports_goods: true, beat_at: subtractMinutes(4) }, true],
  ['has a plugin that reports none', { reach_code: 'moved', reports_goods: false }, true],
])('reading stock directly from an unreached shop with %s is allowed: %s', (_, change, isAllowed) => {
  expect(canBeRead(plugin(change), now)).toBe(isAllowed)
})

const seconds = (count: number) => new Date(now.getTime() - count * 1_000)

test.each<[string, Parameters<typeof computeReadAt>[0], number]>([
  ['came at once', { age: 2, askedAt: seconds(60).toISOString(), sinceAskedS: 58 }, 2],
  ['was 14 seconds on its way', { age: 2, askedAt: seconds(60).toISOString(), sinceAskedS: 44 }, 16],
  ['comes from a clock that was put forward', { age: 2, askedAt: seconds(60).toISOString(), sinceAskedS: 4_000 }, 2],
  ['comes from a clock that was put back', { age: 2, askedAt: seconds(60).toISOString(), sinceAskedS: 0 }, 60],
  ['does not say how long after', { age: 2, askedAt: seconds(60).toISOString() }, 60],
  ['says nothing of when it was asked for', { age: 2 }, 17],
  ['was asked for in the future', { age: 2, askedAt: seconds(-1).toISOString(), sinceAskedS: 0 }, 17],
  ['was asked for at no time', { age: 2, askedAt: 'soon', sinceAskedS: 0 }, 17],
])('a report that %s is dated no fresher than it is', (_, report, ageS) => {
  expect(computeReadAt(report, now)).toEqual(seconds(ageS))
})
