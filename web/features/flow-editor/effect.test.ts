import { expect, it } from 'vitest'
import { describeEffect } from './FlowEditor.tsx'

const none = { moved: 0, dueNow: 0, overtaken: 0, cancelled: 0, added: 0, tooLate: 0, changed: 0 }

it('describes the effect of a save on scheduled messages', () => {
  expect(describeEffect({ ...none, moved: 14, cancelled: 3 })).toBe('14 messages move, 3 are cancelled')
  expect(describeEffect({ ...none, moved: 1 })).toBe('1 message moves')
  expect(describeEffect({ ...none, changed: 1_200, added: 1 })).toBe('1 message is added, 1,200 change')
  expect(describeEffect(none)).toBe('No planned message is affected')
})

it('counts messages due immediately, and carts for which an added message is too late', () => {
  expect(describeEffect({ ...none, moved: 14, dueNow: 2 })).toBe(
    '14 messages move. 2 of them are due at once, as the new time has passed',
  )
  expect(describeEffect({ ...none, added: 5, tooLate: 1 })).toBe(
    '5 messages are added. 1 cart is too late for an added message',
  )
  expect(describeEffect({ ...none, moved: 2, dueNow: 1, overtaken: 1 })).toBe(
    '2 messages move. 1 of them is due at once, as the new time has passed. 1 message is not sent, as a later one was sent or is due',
  )
  expect(describeEffect({ ...none, overtaken: 3 })).toBe('3 messages are not sent, as a later one was sent or is due')
  expect(describeEffect({ ...none, tooLate: 3 })).toBe('3 carts are too late for an added message')
})
