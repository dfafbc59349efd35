import { beforeEach, expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../common/ids.ts'
import { openLookLease } from './look-lease.ts'

const world = createWorld()
const open = () => openLookLease({ db: world.db, now: () => world.now, workerId: createId() })

beforeEach(async () => {
  await world.pool.query('delete from look_lease')
})

test('one of several workers holds the lease and keeps it while it renews', async () => {
  const workers = [open(), open(), open()]
  await Promise.all(workers.map((each) => each.renew()))
  const holders = workers.filter((each) => each.isHeld())
  expect(holders).toHaveLength(1)
  for (let second = 0; second < 10; second++) {
    world.advance(1_000)
    await Promise.all(workers.map((each) => each.renew()))
  }
  expect(workers.filter((each) => each.isHeld())).toEqual(holders)
})

test('another worker takes the lease at once after a stop, and within five seconds after a crash', async () => {
  const [one, two, three] = [open(), open(), open()]
  await one.renew()
  await one.release()
  await two.renew()
  expect([one.isHeld(), two.isHeld()]).toEqual([false, true])
  world.advance(3_000)
  await three.renew()
  expect(three.isHeld()).toBe(false)
  world.advance(2_000)
  await three.renew()
  expect(three.isHeld()).toBe(true)
})

test('a clock that is set back leaves no lease behind', async () => {
  const [one, two] = [open(), open()]
  await one.renew()
  world.advance(-3_600_000)
  await two.renew()
  expect(two.isHeld()).toBe(true)
})
