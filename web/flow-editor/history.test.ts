import { expect, it } from 'vitest'
import { endMerge, recordChange, redone, startHistory, undone } from './history.ts'

const typed = (...texts: string[]) =>
  texts.reduce(
    (history, text) => recordChange(history, text, { text: 'Subject changed', part: 'subject' }),
    startHistory(''),
  )

it('undoes and redoes changes in order', () => {
  const two = recordChange(recordChange(startHistory('a'), 'b', { text: 'To b' }), 'c', { text: 'To c' })
  const one = undone(two)!
  expect(one.present).toBe('b')
  expect(one.future.at(-1)?.change.text).toBe('To c')
  const none = undone(one)!
  expect(none.present).toBe('a')
  expect(undone(none)).toBeNull()
  const again = redone(redone(none)!)!
  expect(again.present).toBe('c')
  expect(again.past.map(({ change }) => change.text)).toEqual(['To b', 'To c'])
  expect(redone(again)).toBeNull()
})

it('merges consecutive typing until another part or a pause', () => {
  expect(undone(typed('H', 'He', 'Hey'))!.present).toBe('')
  const other = recordChange(typed('H'), 'H!', { text: 'Text changed', part: 'body' })
  expect(undone(other)!.present).toBe('H')
  const paused = recordChange(endMerge(typed('Hey')), 'Hey you', { text: 'Subject changed', part: 'subject' })
  expect(undone(paused)!.present).toBe('Hey')
  expect(endMerge(startHistory('a'))).toEqual(startHistory('a'))
})

it('starts a new branch with a change after undo', () => {
  const back = undone(typed('Hey'))!
  const again = recordChange(back, 'Ho', { text: 'Subject changed', part: 'subject' })
  expect(again.future).toEqual([])
  expect(undone(again)!.present).toBe('')
  // Typing before and after an undo does not merge.
  const half = undone(recordChange(typed('Hey'), 'x', { text: 'Other' }))!
  expect(undone(recordChange(half, 'Heyo', { text: 'Subject changed', part: 'subject' }))!.present).toBe('Hey')
})

it('drops the oldest changes beyond the limit', () => {
  const many = Array.from({ length: 250 }, (_, each) => each + 1)
  const history = many.reduce((all, each) => recordChange(all, each, { text: `To ${each}` }), startHistory(0))
  expect(history.past).toHaveLength(200)
  expect(history.past[0]!.value).toBe(50)
})
