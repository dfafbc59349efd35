import { describe, expect, it } from 'vitest'
import type { LedgerEntry } from '../../../shared/marketing/ledger.ts'
import { customersAddress, findCurrentConsents, formatName, formatTitle, toFilterParams } from './rules.ts'

const unnamed = { first_name: null, last_name: null, customer_email: null, phone: null }

describe('the address of the list', () => {
  it('is read and written, and invalid values count as not given', () => {
    const read = (search: string) => customersAddress.read(new URLSearchParams(search))
    expect(read('')).toEqual({ page: 1, limit: 10, sort: 'since', order: 'desc' })
    expect(read('search=ada&registered=no&sort=name&order=asc&page=3')).toEqual({
      search: 'ada',
      registered: 'no',
      sort: 'name',
      order: 'asc',
      page: 3,
      limit: 10,
    })
    expect(read('registered=perhaps&sort=shoe&page=-1')).toEqual(read(''))
    expect(customersAddress.write(read('page=3'), { registered: 'yes' }).toString()).toBe('registered=yes')
    expect(toFilterParams(read('search=ada&page=2'))).toEqual({ search: 'ada' })
  })
})

describe('a customer', () => {
  it.each([
    [{ first_name: 'Ada', last_name: 'Lovelace' }, 'Ada Lovelace', 'Ada Lovelace'],
    [{ last_name: 'Lovelace' }, 'Lovelace', 'Lovelace'],
    [{ customer_email: 'ada@example.org' }, '-', 'ada@example.org'],
    [{ phone: '+12125550101' }, '-', '+12125550101'],
    [{}, '-', 'Customer'],
  ])('%o is shown as %s and named %s', (of, name, title) => {
    expect([formatName({ ...unnamed, ...of }), formatTitle({ ...unnamed, ...of })]).toEqual([name, title])
  })

  it('has the newest consent per channel and address', () => {
    const entry = (id: string, channel: string, status: string, person = 'a', standing = 'stands') =>
      ({ id, channel, status, person, standing }) as LedgerEntry
    const entries = [
      entry('6', 'email', 'granted', 'a', 'doubted'),
      entry('5', 'sms', 'withdrawn', 'a', 'undone'),
      entry('4', 'email', 'withdrawn'),
      entry('3', 'sms', 'granted'),
      entry('2', 'email', 'granted'),
      entry('1', 'email', 'granted', 'b'),
    ]
    expect(findCurrentConsents(entries).map(({ id }) => id)).toEqual(['4', '3', '1'])
  })
})
