import { describe, expect, test } from 'vitest'
import { describeResult } from '../../kits/manual-sends/sending.ts'
import {
  allCustomers,
  clearAll,
  countChosen,
  formatCustomers,
  formatSendLabel,
  isChosen,
  noCustomers,
  toggle,
  toPerson,
  toRecipients,
} from './rules.ts'

const [ada, ben] = [
  { id: 'a', name: 'Ada' },
  { id: 'b', name: 'Ben' },
]
const filter = { search: 'tea', abandonedOnly: true }

describe('the selection', () => {
  test('adds and removes single customers', () => {
    const both = toggle(toggle(noCustomers, ada), ben)
    expect([isChosen(both, 'a'), isChosen(both, 'b'), countChosen(both, 500)]).toEqual([true, true, 2])
    expect(toRecipients(both, filter)).toEqual({ customers: ['a', 'b'] })
    expect(toRecipients(toggle(toggle(both, ada), ben), filter)).toBeNull()
  })

  test('covers all matches except some, including customers not loaded', () => {
    const most = toggle(allCustomers, ada)
    expect([isChosen(most, 'a'), isChosen(most, 'never shown'), countChosen(most, 500)]).toEqual([false, true, 499])
    expect(toRecipients(most, filter)).toEqual({ matching: { search: 'tea', abandonedOnly: true, except: ['a'] } })
    expect(toRecipients(toggle(most, ada), filter)).toEqual({ matching: { ...filter, except: [] } })
  })

  test('is described with its count, as far as counted', () => {
    expect([formatCustomers(1, false), formatCustomers(1_000, true)]).toEqual(['1 customer', '1,000+ customers'])
  })

  test('shows on the button how many would get the mail, once known', () => {
    const buildAudience = (eligible: number, total: number) => ({
      total,
      eligible: Array.from({ length: eligible }, String),
    })
    expect(formatSendLabel(null, 1_000, true)).toBe('Send to 1,000+ customers')
    expect(formatSendLabel(buildAudience(260, 268), 268, false)).toBe('Send to 260 of 268')
    expect(formatSendLabel(buildAudience(1, 1), 1, false)).toBe('Send to 1 customer')
  })

  test('drops "all" on another filter, and keeps single customers', () => {
    expect(clearAll(toggle(allCustomers, ada))).toEqual(noCustomers)
    expect(clearAll(toggle(noCustomers, ada))).toEqual(toggle(noCustomers, ada))
  })

  test('names customers without a name by their address', () => {
    const unnamed = {
      first_name: null,
      last_name: null,
      phone: null,
      company: null,
      is_registered: false,
      last_login: null,
    }
    expect(toPerson({ _id: 'a', ...unnamed, customer_email: 'a@b.example' })).toEqual({ id: 'a', name: 'a@b.example' })
    expect(toPerson({ _id: 'a', ...unnamed, customer_email: null }).name).toBe('Guest')
  })
})

test('reports the end of a job with the specification’s texts (B 8)', { tags: ['B8'] }, () => {
  expect(describeResult({ sent: 2, failed: 0, unknown: 0 })).toBe('Discount emails sent successfully!')
  expect(describeResult({ sent: 0, failed: 1, unknown: 0 })).toBe('Failed to send discount email.')
})

test('reports how many messages were sent and how many were not', () => {
  expect(describeResult({ sent: 2, failed: 1, unknown: 0 })).toBe('2 sent, 1 failed')
  expect(describeResult({ sent: 1_200, failed: 0, unknown: 1 })).toBe('1,200 sent, 1 without an answer')
  expect(describeResult({ sent: 0, failed: 3, unknown: 1 })).toBe('0 sent, 3 failed, 1 without an answer')
})
