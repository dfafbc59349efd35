import { currencyExponent } from '../../shared/money.ts'
import type { NotificationView } from '../../shared/notification-calls.ts'
import { formatDuration } from '../../shared/stages.ts'
import { formatKey, isInstant } from '../carts/rules.ts'
import { formatCount, formatMoney } from '../ui/format.ts'

// Rows of a notification's detail, from its data (B 2). Pure.

export interface Fact {
  label: string
  /** `instant` is formatted as a date. */
  kind: 'text' | 'instant'
  value: string
}

type Data = NotificationView['data']

/**
 * Display order: who and how much, when, then the rest with ids last, because the database keeps no key order. Amounts
 * include their currency; unknown values are omitted.
 */
export const listFacts = ({ data }: Pick<NotificationView, 'data'>): Fact[] =>
  Object.entries(data)
    .toSorted(([a], [b]) => rankKey(a) - rankKey(b))
    .flatMap(([key, value]): Fact[] => {
      if (value === null || value === '' || (key === 'currency' && typeof data.value === 'number')) return []
      const label = labels[key] ?? formatKey(key)
      return [
        isInstant(value)
          ? { label, kind: 'instant', value }
          : { label, kind: 'text', value: formatFact(key, value, data) },
      ]
    })

const first = ['customer', 'to', 'count', 'value', 'currency', 'itemCount', 'step', 'cause', 'answer']
const last = ['timestamp', 'since', 'until', 'isInMailbox', 'test']

function rankKey(key: string): number {
  if (key.endsWith('Id')) return last.length + 1
  return first.includes(key) ? first.indexOf(key) - first.length : last.indexOf(key) + 1
}

const labels: Record<string, string> = {
  cartId: 'Cart ID',
  messageId: 'Message ID',
  alarmId: 'Alarm ID',
  isInMailbox: 'Kept on this server',
  lastedMs: 'Lasted',
  itemCount: 'Items',
  url: 'Address',
  test: 'Connection test',
}

/** Keys whose values are codes. */
const codedKeys = ['cause', 'channel', 'kind', 'stage']
const channels: Record<string, string> = { sms: 'SMS', whatsapp: 'WhatsApp' }

function formatFact(key: string, value: string | number | boolean, { currency }: Data): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return codedKeys.includes(key) ? (channels[value] ?? formatKey(value)) : value
  if (key === 'value' && typeof currency === 'string') {
    return formatMoney(value / 10 ** currencyExponent(currency), currency)
  }
  return key === 'lastedMs' ? formatDuration(value) : formatCount(value)
}
