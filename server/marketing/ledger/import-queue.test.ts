import { expect, test } from 'vitest'
import { runInQueue } from './import.ts'

test('the server reads two files at a time and one per account, even after a failure', async () => {
  const open: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const read = (account: string, file: string) =>
    runInQueue(account, async () => {
      open.push(file)
      const end = Promise.withResolvers<void>()
      ends.set(file, end)
      try {
        await end.promise
      } finally {
        open.splice(open.indexOf(file), 1)
      }
    }).catch(() => undefined)
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const all = [read('a', 'a1'), read('a', 'a2'), read('b', 'b1'), read('c', 'c1')]
  await settle()
  expect(open).toEqual(['a1', 'b1'])
  ends.get('a1')!.reject(new Error('damaged'))
  await settle()
  expect(open).toEqual(['b1', 'c1'])
  ends.get('b1')!.resolve()
  await settle()
  expect(open).toEqual(['c1', 'a2'])
  ends.get('c1')!.resolve()
  ends.get('a2')!.resolve()
  await Promise.all(all)
})
