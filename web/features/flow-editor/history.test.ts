import { expect, it } from 'vitest'
import { endMerge, recordChange, redoChange, startHistory, undoChange } from './useFlowEdit.ts'

const typeTexts = (...texts: string[]) =>
  texts.reduce(
    (history, text) => recordChange(history, text, { text: 'Subject changed', part: 'subject' }),
    startHistory(''),
  )

it('undoes and redoes changes in order', () => {
  const two = recordChange(recordChange(startHistory('a'), 'b', { text: 'To b' }), 'c', { text: 'To c' })
  const one = undoChange(two)!
  expect(one.present).toBe('b')
  expect(one.future.at(-1)?.change.text).toBe('To c')
  const none = undoChange(one)!
  expect(none.present).toBe('a')
  expect(undoChange(none)).toBeNull()
  const again = redoChange(redoChange(none)!)!
  expect(again.present).toBe('c')
  expect(again.past.map(({ change }) => change.text)).toEqual(['To b', 'To c'])
  expect(redoChange(again)).toBeNull()
})

it('merges consecutive typing until another part or a pause', () => {
  expect(undoChange(typeTexts('H', 'He', 'Hey'))!.present).toBe('')
  const other = recordChange(typeTexts('H'), 'H!', { text: 'Text changed', part: 'body' })
  expect(undoChange(other)!.present).toBe('H')
  const paused = recordChange(endMerge(typeTexts('Hey')), 'Hey you', { text: 'Subject changed', part: 'subject' })
  expect(undoChange(paused)!.present).toBe('Hey')
  expect(endMerge(startHistory('a'))).toEqual(startHistory('a'))
})

it('starts a new branch with a change after undo', () => {
  const back = undoChange(typeTexts('Hey'))!
  const again = recordChange(back, 'Ho', { text: 'Subject changed', part: 'subject' })
  expect(again.future).toEqual([])
  expect(undoChange(again)!.present).toBe('')
  // Typing before and after an undo does not merge.
  const half = undoChange(recordChange(typeTexts('Hey'), 'x', { text: 'Other' }))!
  expect(undoChange(recordChange(half, 'Heyo', { text: 'Subject changed', part: 'subject' }))!.present).toBe('Hey')
})

it('drops the oldest changes beyond the limit', () => {
  const many = Array.from({ length: 250 }, (_, each) => each + 1)
  const history = many.reduce((all, each) => recordChange(all, each, { text: `To ${each}` }), startHistory(0))
  expect(history.past).toHaveLength(200)
  expect(history.past[0]!.value).toBe(50)
})
