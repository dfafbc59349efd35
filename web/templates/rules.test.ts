import { expect, it } from 'vitest'
import { insertAt } from './rules.ts'

it('inserts over the selection', () => {
  expect(insertAt('Hello you!', '{{ customer_name }}', 6, 9)).toEqual({ text: 'Hello {{ customer_name }}!', caret: 25 })
})
