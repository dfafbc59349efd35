import { describe, expect, it } from 'vitest'
import { accountsAddress, describeAction, formatPlan, getNote } from './rules.ts'

describe('texts for operators', () => {
  it('shows the plan and its missing limits', () => {
    expect(formatPlan({ plan: null, isUnlimited: false })).toBe('No plan')
    expect(formatPlan({ plan: 'growth', isUnlimited: false })).toBe('Growth')
    expect(formatPlan({ plan: 'growth', isUnlimited: true })).toBe('Growth, no limits')
  })

  it.each([
    ['set_plan', { plan: 'starter', isUnlimited: false, note: 'A friend' }, /^Set the plan to /, 'A friend'],
    ['create_account', { plan: null, note: null }, /^Created the account$/, null],
    ['create_account', { plan: 'growth', isUnlimited: true }, /^Created the account on Growth, no limits$/, null],
    ['suspend', { reason: 'Spam' }, /^Suspended sending$/, 'Spam'],
    ['resume', { note: null }, /^Resumed sending$/, null],
    ['view', { storeId: null }, /^Viewed the account$/, null],
    ['resolve_problem', { kind: 'chargeback', note: '' }, /^Closed: A payment was charged back$/, null],
  ] as const)('shows %s for %j', (action, data, text, note) => {
    expect(describeAction({ action, data })).toMatch(text)
    expect(getNote({ data })).toBe(note)
  })

  it('keeps search and filter in the address and ignores invalid values', () => {
    expect(accountsAddress.read(new URLSearchParams('search=tea&show=suspended&page=2'))).toMatchObject({
      search: 'tea',
      show: 'suspended',
      page: 2,
      limit: 25,
    })
    expect(accountsAddress.read(new URLSearchParams('show=deleted')).show).toBeUndefined()
  })
})
