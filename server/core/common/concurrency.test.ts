import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import {
  createSemaphore,
  createWorkerSlots,
  type ReleaseSlot,
  releaseForAnswers,
  releaseForPages,
} from './concurrency.ts'

test('runs at most the given number at a time, in order, and frees the slot of a failed one', async () => {
  const seated = createSemaphore(2)
  const begun: number[] = []
  let now = 0
  let max = 0
  const work = (n: number) => async () => {
    begun.push(n)
    max = Math.max(max, ++now)
    await breathe()
    now -= 1
    if (n === 1) throw new Error('one')
    return n
  }
  const ended = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => seated(work(n))))
  expect([begun, max]).toEqual([[0, 1, 2, 3, 4], 2])
  expect(ended.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))).toEqual([0, 'failed', 2, 3, 4])
})

test('refuses work when the queue is too long', async () => {
  const seated = createSemaphore(1)
  const all = Array.from({ length: 502 }, () =>
    seated(breathe).then(
      () => 'done',
      (error) => error.code,
    ),
  )
  expect((await Promise.all(all)).filter((each) => each === 'unavailable')).toHaveLength(1)
})

test('drops queued work whose caller has disconnected', async () => {
  const seated = createSemaphore(1)
  const begun: string[] = []
  const work = (name: string) => async () => {
    begun.push(name)
    await breathe()
  }
  const [aborting, aborted] = [new AbortController(), AbortSignal.abort()]
  const first = seated(work('first'))
  const second = seated(work('second'), aborting.signal)
  const third = seated(work('third'), new AbortController().signal)
  aborting.abort()
  await expect(second).rejects.toMatchObject({ code: 'unavailable' })
  await expect(seated(work('fourth'), aborted)).rejects.toMatchObject({ code: 'unavailable' })
  await Promise.all([first, third])
  await seated(work('fifth'))
  expect(begun).toEqual(['first', 'third', 'fifth'])
})

test('work that has begun keeps its place when its caller disconnects', async () => {
  const limited = createSemaphore(1)
  const leaving = new AbortController()
  const begun: string[] = []
  const end = Promise.withResolvers<void>()
  const first = limited(() => {
    begun.push('first')
    return end.promise
  }, leaving.signal)
  const second = limited(async () => void begun.push('second'))
  leaving.abort()
  await breathe()
  expect(begun).toEqual(['first'])
  end.resolve()
  await Promise.all([first, second])
  expect(begun).toEqual(['first', 'second'])
})

// Slots for jobs. A job that waits for an external service holds none (D8).

const moment = () => sleep(5)

test('runs as many jobs as there are workers, the others in order', async () => {
  const takers = createWorkerSlots(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  const all = [0, 1, 2, 3].map((n) =>
    takers.run(async () => {
      began.push(n)
      await new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await moment()
  expect(began).toEqual([0, 1])
  ends[1]!()
  await moment()
  expect(began).toEqual([0, 1, 2])
  for (let n = 0; n < 4; n++) {
    ends[n]?.()
    await moment()
  }
  await Promise.all(all)
  expect(began).toEqual([0, 1, 2, 3])
})

test('jobs that wait for a hanging shop block no other job', async () => {
  const takers = createWorkerSlots(2)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const ended: string[] = []
  for (let n = 0; n < 40; n++) {
    await takers.run(async (releaseSlot) => {
      await releaseSlot(() => answer)
      ended.push('hung')
    })
  }
  await takers.run(async () => void ended.push('healthy'))
  expect(ended).toEqual(['healthy'])
  resolve()
  await takers.settled()
  expect(ended.filter((each) => each === 'hung')).toHaveLength(40)
})

test('a job that resumes needs a slot again, so concurrency never exceeds the workers', async () => {
  const takers = createWorkerSlots(3)
  let [now, max] = [0, 0]
  const work = async () => {
    now += 1
    max = Math.max(max, now)
    await moment()
    now -= 1
  }
  const job = async (releaseSlot: ReleaseSlot) => {
    await work()
    await releaseSlot(moment)
    await work()
  }
  await Promise.all(Array.from({ length: 20 }, () => takers.run(job)))
  await takers.settled()
  expect(max).toBe(3)
})

test('a job that waited long resumes after jobs that arrived meanwhile and before later ones', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const takers = createWorkerSlots(1)
  const order: string[] = []
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  for (const name of ['slow a', 'slow b']) {
    await takers.run(async (releaseSlot) => {
      await releaseSlot(() => answer)
      order.push(name)
    })
  }
  now += 100
  const { promise: end, resolve: go } = Promise.withResolvers<void>()
  const busy = takers.run(() => end)
  resolve()
  await moment()
  const quick = takers.run(async () => void order.push('quick'))
  now += 150
  const late = takers.run(async () => void order.push('late'))
  go()
  await Promise.all([busy, quick, late, takers.settled()])
  expect([order.length, order[0], order.at(-1)]).toEqual([4, 'quick', 'late'])
})

test('a failed wait returns its slot', async () => {
  const takers = createWorkerSlots(1)
  let failure: unknown
  await takers.run(async (releaseSlot) => {
    failure = await releaseSlot(() => Promise.reject(new Error('away'))).catch((error) => error)
  })
  await takers.settled()
  expect(failure).toEqual(new Error('away'))
  const ran: number[] = []
  await takers.run(async () => void ran.push(1))
  expect(ran).toEqual([1])
})

test('limits the number of waiting jobs; one more keeps its slot', async () => {
  const takers = createWorkerSlots(1)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  for (let n = 0; n < 500; n++) await takers.run((releaseSlot) => releaseSlot(() => answer))
  let isThrough = false
  const one = takers
    .run((releaseSlot) => releaseSlot(() => answer))
    .then(() => {
      isThrough = true
    })
  await moment()
  expect(isThrough).toBe(false)
  resolve()
  await one
  await takers.settled()
})

test('releases the slot while waiting for pages, and closes an unfinished list', async () => {
  let isClosed = false
  async function* pages() {
    try {
      yield 1
      yield 2
      yield 3
    } finally {
      isClosed = true
    }
  }
  let waits = 0
  const releaseSlot: ReleaseSlot = (wait) => {
    waits += 1
    return wait()
  }
  for await (const page of releaseForPages(pages(), releaseSlot)) if (page === 2) break
  expect({ waits, isClosed }).toEqual({ waits: 2, isClosed: true })
})

test('a wrapped client releases the slot for each response and each page', async () => {
  let waits = 0
  const releaseSlot: ReleaseSlot = (wait) => {
    waits += 1
    return wait()
  }
  const client = {
    name: 'shop',
    order: async (id: string) => `order ${id}`,
    async *orders() {
      yield 1
      yield 2
    },
    refused: async () => {
      throw new Error('no')
    },
  }
  const aside = releaseForAnswers(client, releaseSlot)
  expect([aside.name, await aside.order('7'), waits]).toEqual(['shop', 'order 7', 1])
  const pages: number[] = []
  for await (const page of aside.orders()) pages.push(page)
  expect([pages, waits]).toEqual([[1, 2], 4])
  await expect(aside.refused()).rejects.toThrow('no')
})
