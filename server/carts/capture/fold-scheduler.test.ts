import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { scheduleFolds } from './capture-intake.ts'

// Which store's posts are folded, and when.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Stored posts and a scheduler that folds them. */
function createShop() {
  const pending = new Map<string, number>()
  const folded: [string, number][] = []
  const scheduler = scheduleFolds(100, async (store) => {
    const count = Math.min(100, pending.get(store) ?? 0)
    pending.set(store, (pending.get(store) ?? 0) - count)
    folded.push([store, count])
    return count
  })
  const post = (store: string, count = 1) => {
    for (let n = 0; n < count; n++) {
      pending.set(store, (pending.get(store) ?? 0) + 1)
      scheduler.add(store)
    }
  }
  return { post, folded, scheduler }
}

test('a store’s posts are folded a second after the first, independently of other stores', async () => {
  const { post, folded } = createShop()
  post('a')
  await vi.advanceTimersByTimeAsync(600)
  post('b', 2)
  post('a', 3)
  await vi.advanceTimersByTimeAsync(399)
  expect(folded).toEqual([])
  await vi.advanceTimersByTimeAsync(5)
  expect(folded).toEqual([['a', 4]])
  await vi.advanceTimersByTimeAsync(600)
  expect(folded).toEqual([
    ['a', 4],
    ['b', 2],
  ])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(folded).toHaveLength(2)
})

test('a hundred posts are folded at once', async () => {
  const { post, folded } = createShop()
  post('b')
  post('a', 99)
  await vi.advanceTimersByTimeAsync(1)
  expect(folded).toEqual([])
  post('a')
  await vi.advanceTimersByTimeAsync(1)
  expect(folded).toEqual([['a', 100]])
})

test('a flood is folded in batches of a hundred, with the longest waiting store in between', async () => {
  const { post, folded } = createShop()
  post('a', 350)
  post('b', 1)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(folded.reduce((sum, [, count]) => sum + count, 0)).toBe(351)
  expect(folded.filter(([store]) => store === 'b')).toEqual([['b', 1]])
})

test('the end folds waiting posts and starts no more after its time limit', async () => {
  const { post, folded, scheduler } = createShop()
  post('a', 3)
  post('b', 250)
  await scheduler.end()
  expect(folded.reduce((sum, [, count]) => sum + count, 0)).toBe(253)

  let count = 0
  const slow = scheduleFolds(100, async () => {
    count += 1
    vi.advanceTimersByTime(1_500)
    return 100
  })
  for (let n = 0; n < 500; n++) slow.add('c')
  await slow.end()
  expect(count).toBe(3)
})
