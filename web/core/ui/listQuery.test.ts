import { expect, it } from 'vitest'
import { createListAddress, describeShowing, PAGE_SIZES } from './listQuery.ts'

interface Filter {
  search?: string
  city?: string
}
const people = createListAddress<Filter, 'joined' | 'name'>({
  filters: ['city', 'search'],
  readFilter: (search) => {
    const [city, text] = [search.get('city'), search.get('search')]
    return { ...(city && { city }), ...(text && { search: text }) }
  },
  sorts: ['joined', 'name'],
  largestFirst: ['joined'],
})
const defaults = { page: 1, limit: 10, sort: 'joined', order: 'desc' } as const

it('parses filter, order and page from the address and ignores invalid values', () => {
  expect(people.read(new URLSearchParams())).toEqual(defaults)
  expect(people.read(new URLSearchParams('page=1.5&limit=11&sort=password&order=up&city='))).toEqual(defaults)
  const query = 'city=Berlin&search=ada&sort=name&order=asc&limit=25&page=3'
  expect(people.read(new URLSearchParams(query))).toEqual({
    city: 'Berlin',
    search: 'ada',
    sort: 'name',
    order: 'asc',
    limit: 25,
    page: 3,
  })
  expect(people.write(people.read(new URLSearchParams(query)), { page: 3 }).toString()).toBe(query)
})

it('omits defaults, keeps foreign parameters, and resets to page 1 with another filter', () => {
  expect(people.write(defaults, {}).toString()).toBe('')
  const there = new URLSearchParams('open=7&page=9&city=Rome')
  expect(people.write({ ...defaults, page: 9, city: 'Rome' }, { search: 'ada' }, there).toString()).toBe(
    'open=7&city=Rome&search=ada',
  )
  expect(people.write({ ...defaults, city: 'Rome' }, { city: '' }).toString()).toBe('')
})

it('reverses the order on a second press, and starts another column in its natural order', () => {
  expect(people.sortBy(defaults, 'joined')).toEqual({ sort: 'joined', order: 'asc' })
  expect(people.sortBy(defaults, 'name')).toEqual({ sort: 'name', order: 'asc' })
  expect(people.sortBy({ ...defaults, sort: 'name', order: 'asc' }, 'joined')).toEqual({
    sort: 'joined',
    order: 'desc',
  })
})

it('has 10 rows a page unless 25, 50 or 100 are chosen', () => {
  expect(PAGE_SIZES).toEqual([10, 25, 50, 100])
})

it('states which entries are shown', { tags: ['B2'] }, () => {
  expect(describeShowing(1, 10, { total: 42, isCapped: false })).toBe('Showing 1 to 10 of 42 entries')
  expect(describeShowing(5, 10, { total: 42, isCapped: false })).toBe('Showing 41 to 42 of 42 entries')
  expect(describeShowing(2, 10, { total: 1_000, isCapped: true })).toBe('Showing 11 to 20 of 1,000+ entries')
})
