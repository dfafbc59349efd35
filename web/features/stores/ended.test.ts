import { expect, it } from 'vitest'
import { disconnectedBy, type EndedStore } from '../../../shared/access/stores.ts'
import { describeEnded, formatEndedTitle } from './EndedNotice.tsx'

const buildEndedStore = (changes: Partial<EndedStore> = {}): EndedStore => ({
  ...{ id: 's', platform: 'woocommerce', store_url: 'https://shop.example', name: 'Maple & Clay', by: 'uninstall' },
  at: '2026-11-29T13:00:00Z',
  keptUntil: '2026-12-29T13:00:00Z',
  ...changes,
})
const day = (at: string) => at.slice(0, 10)

it('states that the plugin was removed, since when, and until when data is kept', () => {
  expect(formatEndedTitle(buildEndedStore())).toBe('The Recoup plugin was removed from Maple & Clay')
  expect(formatEndedTitle(buildEndedStore({ platform: 'shopify' }))).toBe(
    'The Recoup app was removed from Maple & Clay',
  )
  const text = describeEnded(buildEndedStore(), day)
  expect(text).toContain('Since 2026-11-29 nothing is sent for https://shop.example.')
  expect(text).toContain('Install the plugin again or connect with keys before 2026-12-29')
})

it('has a title for each end of a store, and one for unknown ends', () => {
  const titles = [...disconnectedBy, null].map((by) => formatEndedTitle(buildEndedStore({ by, name: '' })))
  expect(titles).toEqual([
    'https://shop.example was disconnected',
    'https://shop.example was disconnected in WordPress',
    'The Recoup plugin was removed from https://shop.example',
    'https://shop.example was connected by another account',
    'https://shop.example was disconnected',
  ])
  expect(describeEnded(buildEndedStore({ by: 'other_account' }), day)).not.toContain('before')
})
