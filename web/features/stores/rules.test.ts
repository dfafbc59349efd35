import { expect, it } from 'vitest'
import { SYNC_STREAMS } from '../../../shared/access/stores.ts'
import { belongsToStore } from '../../core/access/current-store.ts'
import {
  buildCaptureSnippet,
  checkKeys,
  describeReports,
  findChanges,
  findHealth,
  findKeysPage,
  formatSetting,
  mergeSettings,
  type SettingsForm,
  streamNames,
} from './rules.ts'
import { describeSyncAge } from './sync-age.ts'

it('requires address and both keys, with the specification’s texts', { tags: ['A5'] }, () => {
  expect(checkKeys({ store_url: ' ', consumer_key: '', consumer_secret: 'cs_1' })).toEqual({
    store_url: 'Store URL is required',
    consumer_key: 'Consumer key and secret are required for WooCommerce',
  })
  expect(checkKeys({ store_url: 'shop.example', consumer_key: 'ck_1', consumer_secret: 'cs_1' })).toEqual({})
})

it('detects swapped key and secret', () => {
  const form = { store_url: 'shop.example', consumer_key: ' cs_1', consumer_secret: 'ck_1 ' }
  expect(checkKeys(form)).toEqual({
    consumer_key: 'This is a consumer secret.',
    consumer_secret: 'This is a consumer key.',
  })
  expect(checkKeys({ ...form, consumer_secret: 'cs_1' })).toEqual({})
})

const settings: SettingsForm = {
  senderName: 'Mugs',
  senderEmail: '',
  postalAddress: '1 Kiln Road',
  abandonmentTimeoutMinutes: 1_440,
  quietFrom: '21:00',
  quietUntil: '08:00',
  capMessages: 3,
  capWindowHours: 24,
  textCooldownHours: 24,
  attributionWindowDays: 5,
}

it('sends only changed fields', () => {
  expect(findChanges(settings, { ...settings, capMessages: 2 })).toEqual({ capMessages: 2 })
  expect(findChanges(settings, { ...settings })).toEqual({})
})

it('merges another member’s save, keeps local edits, and reports conflicts', () => {
  const mine = { ...settings, capMessages: 2, senderName: 'Mugs & More', quietFrom: '20:00' }
  const theirs = { ...settings, capMessages: 5, postalAddress: '2 Kiln Road', quietFrom: '20:00' }
  expect(mergeSettings(settings, mine, theirs)).toEqual({
    values: {
      ...settings,
      capMessages: 2,
      senderName: 'Mugs & More',
      quietFrom: '20:00',
      postalAddress: '2 Kiln Road',
    },
    clashes: [{ name: 'capMessages', value: 5 }],
  })
})

it('formats a setting as its field does', () => {
  expect(formatSetting('abandonmentTimeoutMinutes', 60)).toBe('1 hour')
  expect(formatSetting('capWindowHours', 48)).toBe('2 days')
  expect(formatSetting('attributionWindowDays', 5)).toBe('5 days')
  expect(formatSetting('senderEmail', '')).toBe('empty')
  expect(formatSetting('quietFrom', '21:00')).toBe('21:00')
})

it('reports a stream as failing only if its last run failed', () => {
  const stream = { completedAt: null, failedAt: null, problem: null, rowsSeen: 0, isRunning: false }
  expect(findHealth('sweep', stream)).toBe('waiting')
  expect(findHealth('sweep', { ...stream, isRunning: true })).toBe('running')
  expect(findHealth('sweep', { ...stream, failedAt: '2026-01-01T00:00:00Z' })).toBe('failing')
  const completed = { ...stream, completedAt: '2026-01-01T00:15:00Z' }
  expect(findHealth('sweep', { ...completed, failedAt: '2026-01-01T00:00:00Z' })).toBe('fine')
})

it('does not call webhooks up to date that were never created', () => {
  const run = { completedAt: '2026-01-01T00:15:00Z', failedAt: null, problem: null, rowsSeen: 0, isRunning: false }
  expect(findHealth('webhooks', run)).toBe('unused')
  expect(findHealth('webhooks', { ...run, rowsSeen: 5 })).toBe('fine')
  expect(findHealth('webhooks', { ...run, failedAt: '2026-01-01T00:16:00Z' })).toBe('failing')
})

it('says what is known of a shop that Recoup cannot reach', () => {
  expect(describeReports({ ageSeconds: 60 })).toBeNull()
  expect(describeReports({ ageSeconds: null, isReported: false })).toMatch(
    /waits for the plugin’s first report.*wp-cron/,
  )
  expect(describeReports({ ageSeconds: 60, isReported: true })).toContain('reports orders, stock and prices')
  expect(describeReports({ ageSeconds: 600, isReported: false })).toContain('is not reporting orders, stock and prices')
  expect(describeSyncAge({ ageSeconds: 120 })).toBe('Synced 2 min ago')
  expect(describeSyncAge({ ageSeconds: null })).toBe('Not synced yet')
  expect(describeSyncAge({ ageSeconds: 120, isReported: false })).toBe('Updated 2 min ago')
  expect(describeSyncAge({ ageSeconds: null, isReported: false })).toBe('Nothing reported yet')
})

it('links to the store’s key page once there is an address', { tags: ['A2.4'] }, () => {
  const page = '/wp-admin/admin.php?page=wc-settings&tab=advanced&section=keys&create-key=1'
  expect(findKeysPage(' https://shop.example/store/ ')).toBe(`https://shop.example/store${page}`)
  for (const typed of ['', 'shop', 'localhostel', 'javascript:alert(1)']) expect(findKeysPage(typed)).toBeNull()
})

it('builds the capture tag', () => {
  expect(buildCaptureSnippet('https://recoup.example', 'abc')).toBe(
    '<script src="https://recoup.example/capture/abc.js" defer></script>',
  )
})

it('drops every answer about a store when it changes, and keeps those about users and the account', () => {
  const forgotten = [['dashboard', 's1', 'stats'], ['carts', 's1', {}], ['cart', 'c1'], ['flows'], ['store', 'health']]
  const remainingKeys = [['me'], ['subscription'], ['connection'], ['instance'], ['team'], ['accounts'], ['sessions']]
  expect(forgotten.filter((key) => !belongsToStore(key))).toEqual([])
  expect(remainingKeys.filter((key) => belongsToStore(key))).toEqual([])
})

it('shows each data type of a store with a label, never its key', () => {
  const names = SYNC_STREAMS.map((stream) => streamNames[stream])
  expect(new Set(names).size).toBe(SYNC_STREAMS.length)
  for (const name of names) expect(name).toMatch(/^[A-Z][a-z][^_]+$/)
})
