import { expect, test } from 'vitest'
import { countLoopIterations } from '../../../test/event-loop.ts'
import { chunked } from './chunks.ts'

test('yields to the event loop between two chunks of a list', async () => {
  const turns = countLoopIterations()
  const pieces: number[][] = []
  const turnsBefore: number[] = []
  for await (const piece of chunked([1, 2, 3, 4, 5], 2)) {
    pieces.push(piece)
    turnsBefore.push(turns.count)
  }
  turns.stop()
  expect(pieces).toEqual([[1, 2], [3, 4], [5]])
  expect(turnsBefore).toEqual([0, 1, 2])
  for await (const piece of chunked([], 2)) expect(piece).toBeUndefined()
})
