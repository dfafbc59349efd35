import { expect, it } from 'vitest'
import { findSection, sections } from './sections.ts'

it('lists the sections of A 2.2 in order, with Flows next to Carts', { tags: ['A2.2'] }, () => {
  expect(sections.map(({ path, title }) => [path, title])).toEqual([
    ['/dashboard', 'Dashboard'],
    ['/carts', 'Abandoned Carts'],
    ['/flows', 'Flows'],
    ['/campaigns', 'Email Campaigns'],
    ['/customers', 'Customers'],
    ['/notifications', 'Notifications'],
    ['/coupons', 'Coupons'],
    ['/analytics', 'Analytics'],
    ['/settings', 'Settings'],
  ])
})

it('uses the section of the first path segment, and Dashboard otherwise', {
  tags: ['A2.1', 'A2.2'],
}, () => {
  const titles = ['/carts/42', '/Settings/account', '/', '/dashboard', '/nowhere'].map(
    (path) => findSection(path).title,
  )
  expect(titles).toEqual(['Abandoned Carts', 'Settings', 'Dashboard', 'Dashboard', 'Dashboard'])
})
