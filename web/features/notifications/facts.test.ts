import { expect, test } from 'vitest'
import { listFacts } from './NotificationsPage.tsx'

test('lists keys and values of the data, with instants as dates', { tags: ['B2'] }, () => {
  // The database's key order: shortest first.
  const data = {
    step: null,
    value: 123_450,
    cartId: 'c1',
    currency: 'USD',
    customer: 'Ada Lovelace',
    lastedMs: 7_200_000,
    itemCount: 2,
    timestamp: '2026-03-10T12:05:00.000Z',
    isInMailbox: true,
  }
  expect(listFacts({ data })).toEqual([
    { label: 'Customer', kind: 'text', value: 'Ada Lovelace' },
    { label: 'Value', kind: 'text', value: '$1,234.50' },
    { label: 'Items', kind: 'text', value: '2' },
    { label: 'Lasted', kind: 'text', value: '2 hours' },
    { label: 'Timestamp', kind: 'instant', value: '2026-03-10T12:05:00.000Z' },
    { label: 'Kept on this server', kind: 'text', value: 'Yes' },
    { label: 'Cart ID', kind: 'text', value: 'c1' },
  ])
})

test('shows codes as text: causes, channels, stages', () => {
  const listTexts = (data: Record<string, string>) =>
    listFacts({ data }).map(({ label, value }) => `${label}: ${value}`)
  expect(listTexts({ to: 'sms', channel: 'sms' })).toEqual(['To: sms', 'Channel: SMS'])
  expect(listTexts({ stage: 'sending', cause: 'mail_server' })).toEqual(['Cause: Mail server', 'Stage: Sending'])
})

test('formats an amount with its currency’s decimals', () => {
  const listAmounts = (currency: string) => listFacts({ data: { value: 1_500, currency } }).map(({ value }) => value)
  expect(listAmounts('JPY')).toEqual(['¥1,500'])
  expect(listAmounts('EUR')).toEqual(['€15.00'])
})

test('lists a lone currency by itself, and treats a number without a currency as no amount', () => {
  expect(listFacts({ data: { currency: 'USD', value: null } })).toEqual([
    { label: 'Currency', kind: 'text', value: 'USD' },
  ])
  expect(listFacts({ data: { value: 1_500 } })).toEqual([{ label: 'Value', kind: 'text', value: '1,500' }])
})
