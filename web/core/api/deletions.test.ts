import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeletions, UNDO_MS } from './deletions.ts'

let deletions: ReturnType<typeof createDeletions>
let answers: { resolve: () => void; reject: (error: Error) => void }[]
const send = vi.fn()
const onFailed = vi.fn()
const onClosed = vi.fn()
const start = (id: string) => deletions.start({ id, send, onFailed, onClosed })
const listHidden = () => [...deletions.listHidden()]

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetAllMocks()
  deletions = createDeletions()
  answers = []
  send.mockImplementation(() => new Promise<void>((resolve, reject) => answers.push({ resolve, reject })))
})

afterEach(() => {
  vi.useRealTimers()
})

test('hides a row at once, and sends its request when the offer to undo ends', async () => {
  start('a')
  expect(listHidden()).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1)
  expect(send).not.toHaveBeenCalled()
  expect(deletions.isUndoable('a')).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(send).toHaveBeenCalledExactlyOnceWith({ keepalive: false })
  expect(deletions.isUndoable('a')).toBe(false)
  expect(onClosed).toHaveBeenCalledOnce()
  answers[0]!.resolve()
  await deletions.finishAll()
  expect(listHidden()).toEqual(['a'])
})

test('restores a row without a request when the deletion is undone', async () => {
  start('a')
  start('b')
  deletions.undo('a')
  expect(listHidden()).toEqual(['b'])
  expect(onClosed).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(UNDO_MS)
  expect(send).toHaveBeenCalledOnce()
})

test('cannot undo what has been sent', () => {
  start('a')
  deletions.finish('a')
  deletions.undo('a')
  expect(listHidden()).toEqual(['a'])
  expect(send).toHaveBeenCalledOnce()
})

test('shows a row again when the server refuses, with the reason', async () => {
  start('a')
  deletions.finish('a')
  answers[0]!.reject(new Error('It is on.'))
  await deletions.finishAll()
  expect(listHidden()).toEqual([])
  expect(onFailed).toHaveBeenCalledExactlyOnceWith(new Error('It is on.'))
})

test('sends all pending requests before it waits for their answers', async () => {
  start('a')
  start('b')
  const done = vi.fn()
  const finished = deletions.finishAll({ keepalive: true }).then(done)
  expect(send.mock.calls).toEqual([[{ keepalive: true }], [{ keepalive: true }]])
  answers[0]!.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(done).not.toHaveBeenCalled()
  answers[1]!.resolve()
  await finished
  await vi.advanceTimersByTimeAsync(UNDO_MS)
  expect(send).toHaveBeenCalledTimes(2)
})

test('waits for a request that is under way', async () => {
  start('a')
  await vi.advanceTimersByTimeAsync(UNDO_MS)
  const done = vi.fn()
  const finished = deletions.finishAll().then(done)
  await vi.advanceTimersByTimeAsync(0)
  expect(done).not.toHaveBeenCalled()
  answers[0]!.resolve()
  await finished
})

test('tells its listeners about each change', () => {
  const listener = vi.fn()
  const stop = deletions.subscribe(listener)
  start('a')
  deletions.undo('a')
  expect(listener).toHaveBeenCalledTimes(2)
  stop()
  start('b')
  expect(listener).toHaveBeenCalledTimes(2)
})
