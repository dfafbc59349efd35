import {
  isTextSender,
  type TEMPLATE_VARIABLES,
  type TextChannelView,
  type TextSender,
} from '../../../shared/messages/text-channels.ts'

// Input checks of the SMS and WhatsApp forms. Pure.

export interface SenderRow {
  key: number
  /** Two letters; empty in the first row: all countries. */
  country: string
  sender: string
}

/** The row for all countries comes first and always exists. */
export function toSenderRows({ senders }: Pick<TextChannelView, 'senders'>): SenderRow[] {
  const sorted = [...senders].sort((one, other) => Number(one.country !== null) - Number(other.country !== null))
  const rows = sorted.map(({ country, sender }, key) => ({ key: key + 1, country: country ?? '', sender }))
  return rows[0]?.country === '' ? rows : [{ key: 0, country: '', sender: '' }, ...rows]
}

/** An empty first row is dropped: then only the listed countries get texts. */
export const toSenders = (rows: readonly SenderRow[]): TextSender[] =>
  rows
    .filter(({ sender, country }) => sender.trim() !== '' || country !== '')
    .map(({ country, sender }) => ({ country: country || null, sender: sender.trim() }))

export function checkSenders(rows: readonly SenderRow[]): Record<string, string> {
  const problems: Record<string, string> = {}
  if (toSenders(rows).length === 0) problems['senders.0.sender'] = 'Enter at least one sender'
  for (const [at, row] of rows.entries()) {
    if (at > 0 && !/^[A-Z]{2}$/.test(row.country)) problems[`senders.${at}.country`] = 'Enter two letters, such as DE'
    const isEmptyFirst = at === 0 && row.sender.trim() === ''
    if (!isEmptyFirst && !isTextSender(row.sender)) problems[`senders.${at}.sender`] ??= 'This is not a valid sender'
    if (rows.some((other, index) => index < at && other.country === row.country)) {
      problems[`senders.${at}.country`] = 'This country already has a sender'
    }
  }
  return problems
}

/** Placeholders of a template's text, in order. */
export const countPlaceholders = (text: string): number =>
  new Set([...text.matchAll(/\{\{\s*(\d+)\s*\}\}/g)].map(([, place]) => place)).size

export type Variable = (typeof TEMPLATE_VARIABLES)[number]

export const variableNames: Readonly<Record<Variable, string>> = {
  customer_name: 'Customer’s name',
  store_name: 'Store’s name',
  cart_items: 'Items in the cart',
  cart_total: 'Total of the cart',
  checkout_link: 'Recovery link',
}

const EXAMPLES: Readonly<Record<Variable, string>> = {
  customer_name: 'Ada',
  store_name: 'Tea & Co',
  cart_items: '2 × Earl Grey',
  cart_total: '$42.00',
  checkout_link: 'https://…/c/…',
}

/** As shoppers see it. */
export const renderExample = (text: string, variables: readonly (Variable | '')[]): string =>
  text.replace(/\{\{\s*(\d+)\s*\}\}/g, (place, number: string) => {
    const variable = variables[Number(number) - 1]
    return variable ? EXAMPLES[variable] : place
  })
