import { setImmediate as breathe } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSeats } from './seats.ts'

test('at most so many work at a time, in their order, and one that fails makes room', async () => {
  const seated = createSeats(2)
  const begun: number[] = []
  let now = 0
  let most = 0
  const work = (n: number) => async () => {
    begun.push(n)
    most = Math.max(most, ++now)
    await breathe()
    now -= 1
    if (n === 1) throw new Error('one')
    return n
  }
  const ended = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => seated(work(n))))
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2])
  expect(ended.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))).toEqual([0, 'failed', 2, 3, 4])
})

test('a line that has grown too long takes nobody more', async () => {
  const seated = createSeats(1)
  const all = Array.from({ length: 502 }, () =>
    seated(breathe).then(
      () => 'done',
      (error) => error.code,
    ),
  )
  expect((await Promise.all(all)).filter((each) => each === 'unavailable')).toHaveLength(1)
})

test('who has gone gives the place in the line away, and its work is never begun', async () => {
  const seated = createSeats(1)
  const begun: string[] = []
  const work = (name: string) => async () => {
    begun.push(name)
    await breathe()
  }
  const [leaving, left] = [new AbortController(), AbortSignal.abort()]
  const first = seated(work('first'))
  const second = seated(work('second'), leaving.signal)
  const third = seated(work('third'), new AbortController().signal)
  leaving.abort()
  await expect(second).rejects.toMatchObject({ code: 'unavailable' })
  await expect(seated(work('fourth'), left)).rejects.toMatchObject({ code: 'unavailable' })
  await Promise.all([first, third])
  await seated(work('fifth'))
  expect(begun).toEqual(['first', 'third', 'fifth'])
})
