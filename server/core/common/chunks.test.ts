import { expect, test } from 'vitest'
import { countLoopIterations } from '../../../test/event-loop.ts'
import { chunked } from './chunks.ts'

test('yields to the event loop between two chunks of a list', async () => {
  const ticks = countLoopIterations()
  const pieces: number[][] = []
  const ticksBefore: number[] = []
  for await (const piece of chunked([1, 2, 3, 4, 5], 2)) {
    pieces.push(piece)
    ticksBefore.push(ticks.count)
  }
  ticks.stop()
  expect(pieces).toEqual([[1, 2], [3, 4], [5]])
  expect(ticksBefore).toEqual([0, 1, 2])
  for await (const piece of chunked([], 2)) expect(piece).toBeUndefined()
})
