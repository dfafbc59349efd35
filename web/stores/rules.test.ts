import { expect, it } from 'vitest'
import { captureSnippet, checkKeys, checkSettings, healthOf } from './rules.ts'

it('asks for address and both keys in the specification’s words', () => {
  expect(checkKeys({ store_url: ' ', consumer_key: '', consumer_secret: 'cs_1' })).toEqual({
    store_url: 'Store URL is required',
    consumer_key: 'Consumer key and secret are required for WooCommerce',
  })
  expect(checkKeys({ store_url: 'shop.example', consumer_key: 'ck_1', consumer_secret: 'cs_1' })).toEqual({})
})

it('holds the timeout between 15 minutes and 7 days', () => {
  const form = { senderName: '', senderEmail: '', postalAddress: '', abandonmentTimeoutMinutes: 1_440 }
  expect(checkSettings(form)).toEqual({})
  for (const minutes of [14, 10_081, Number.NaN]) {
    expect(checkSettings({ ...form, abandonmentTimeoutMinutes: minutes })).toHaveProperty('abandonmentTimeoutMinutes')
  }
  expect(checkSettings({ ...form, senderEmail: 'nope' })).toHaveProperty('senderEmail')
})

it('calls a stream failing only while its last end was a failure', () => {
  const stream = { completedAt: null, failedAt: null, problem: null, isRunning: false }
  expect(healthOf(stream)).toBe('waiting')
  expect(healthOf({ ...stream, isRunning: true })).toBe('running')
  expect(healthOf({ ...stream, failedAt: '2026-01-01T00:00:00Z' })).toBe('failing')
  expect(healthOf({ ...stream, failedAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:15:00Z' })).toBe('fine')
})

it('writes the capture tag', () => {
  expect(captureSnippet('https://recoup.example', 'abc')).toBe(
    '<script src="https://recoup.example/capture/abc.js" defer></script>',
  )
})
