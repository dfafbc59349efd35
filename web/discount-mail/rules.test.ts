import { describe, expect, test } from 'vitest'
import {
  countOf,
  everybody,
  isChosen,
  nobody,
  peopleText,
  personOf,
  recipientsOf,
  refiltered,
  resultText,
  sendLabel,
  toggled,
} from './rules.ts'

const [ada, ben] = [
  { id: 'a', name: 'Ada' },
  { id: 'b', name: 'Ben' },
]
const filter = { search: 'tea', abandonedOnly: true }

describe('who is chosen', () => {
  test('one by one, and taken back', () => {
    const both = toggled(toggled(nobody, ada), ben)
    expect([isChosen(both, 'a'), isChosen(both, 'b'), countOf(both, 500)]).toEqual([true, true, 2])
    expect(recipientsOf(both, filter)).toEqual({ customers: ['a', 'b'] })
    expect(recipientsOf(toggled(toggled(both, ada), ben), filter)).toBeNull()
  })

  test('all who match but some, also those not shown yet', () => {
    const most = toggled(everybody, ada)
    expect([isChosen(most, 'a'), isChosen(most, 'never shown'), countOf(most, 500)]).toEqual([false, true, 499])
    expect(recipientsOf(most, filter)).toEqual({ matching: { search: 'tea', abandonedOnly: true, except: ['a'] } })
    expect(recipientsOf(toggled(most, ada), filter)).toEqual({ matching: { ...filter, except: [] } })
  })

  test('are counted in words, as far as they are counted', () => {
    expect([peopleText(1, false), peopleText(1_000, true)]).toEqual(['1 customer', '1,000+ customers'])
  })

  test('the button says how many of them would get it, once that is known', () => {
    const of = (eligible: number, total: number) => ({ total, eligible: Array.from({ length: eligible }, String) })
    expect(sendLabel(null, 1_000, true)).toBe('Send to 1,000+ customers')
    expect(sendLabel(of(260, 268), 268, false)).toBe('Send to 260 of 268')
    expect(sendLabel(of(1, 1), 1, false)).toBe('Send to 1 customer')
  })

  test('another filter takes back that all were chosen, and keeps those chosen one by one', () => {
    expect(refiltered(toggled(everybody, ada))).toEqual(nobody)
    expect(refiltered(toggled(nobody, ada))).toEqual(toggled(nobody, ada))
  })

  test('without a name they are called by their address', () => {
    const unnamed = {
      first_name: null,
      last_name: null,
      phone: null,
      company: null,
      is_registered: false,
      last_login: null,
    }
    expect(personOf({ _id: 'a', ...unnamed, customer_email: 'a@b.example' })).toEqual({ id: 'a', name: 'a@b.example' })
    expect(personOf({ _id: 'a', ...unnamed, customer_email: null }).name).toBe('Guest')
  })
})

test('the end of a job is told in the words of the specification (B 8)', { tags: ['B8'] }, () => {
  expect(resultText({ sent: 2, failed: 0, unknown: 0 })).toBe('Discount emails sent successfully!')
  expect(resultText({ sent: 0, failed: 1, unknown: 0 })).toBe('Failed to send discount email.')
})

test('a job of which not all went says how many did and how many did not', () => {
  expect(resultText({ sent: 2, failed: 1, unknown: 0 })).toBe('2 sent, 1 failed')
  expect(resultText({ sent: 1_200, failed: 0, unknown: 1 })).toBe('1,200 sent, 1 without an answer')
  expect(resultText({ sent: 0, failed: 3, unknown: 1 })).toBe('0 sent, 3 failed, 1 without an answer')
})
