import type { StoreRow } from '../../access/stores/store.ts'
import { change } from '../../insights/analytics/analytics-rules.ts'
import type { Week, Weeks } from '../../insights/analytics/weeks.ts'
import type { AccountMail, MailItem } from '../accounts/account-mail.ts'

// Texts of the weekly report (decision 100). Pure.

interface WeeklyMailInput {
  name: string
  store: Pick<StoreRow, 'id' | 'name' | 'platform' | 'currency'>
  publicUrl: string
  /** Products are part of Advanced Analytics (decision 131). */
  hasProducts: boolean
}

export function weekMail(weeks: Weeks, letter: WeeklyMailInput): AccountMail {
  const { name, store, publicUrl } = letter
  const won = moneyOf(weeks.now.won, store.currency)
  return {
    subject: weeks.now.won > 0 ? `Your week at ${store.name}: ${won} won back` : `Your week at ${store.name}`,
    paragraphs: [
      `Hello ${name},`,
      `This is ${store.name} from ${dayOf(weeks.first)} to ${dayOf(weeks.last)}, by the calendar of the store, each figure with the week before.`,
    ],
    items: [...figureItems(weeks, letter), ...(letter.hasProducts ? productItems(weeks, letter) : [])],
    link: { label: 'Open the analytics', url: addressOf(letter) },
    footer: {
      label: 'Choose which of these emails you get',
      url: `${publicUrl}/settings/account/notifications`,
    },
  }
}

const addressOf = ({ publicUrl, store }: WeeklyMailInput) =>
  `${publicUrl}/analytics?platform=${store.platform}&storeId=${store.id}&range=7d`

interface Figure {
  title: string
  of: (week: Week) => number | null
  show: (value: number | null) => string
  /** Fewer is better. */
  isLoss?: boolean
  text: string
}

function figureItems({ now, before }: Weeks, letter: WeeklyMailInput): MailItem[] {
  const money = (value: number | null) => moneyOf(value ?? 0, letter.store.currency)
  const figures: Figure[] = [
    {
      ...{ title: 'Money won back', of: ({ won }) => won, show: money },
      text: 'Net revenue of the orders attributed to your messages.',
    },
    {
      ...{ title: 'Orders won back', of: ({ orders }) => orders, show: (value) => countOf(value ?? 0) },
      text: 'Orders attributed to your messages.',
    },
    {
      ...{ title: 'Share recovered', of: ({ recoveredShare }) => recoveredShare, show: percentOf },
      text: `Of ${cartsOf(now.abandoned, 'abandoned cart')}, ${countOf(now.recovered)} recovered by now.`,
    },
    {
      ...{
        title: 'Revenue opportunity',
        of: ({ revenueOpportunity }) => revenueOpportunity,
        show: money,
        isLoss: true,
      },
      text: 'Value of the carts abandoned in this week and not bought by now.',
    },
  ]
  return figures.map(({ title, of, show, isLoss = false, text }) => ({
    title: `${title}: ${show(of(now))}`,
    url: addressOf(letter),
    note: noteOf(of(now), of(before), show),
    text,
    tone: toneOf(change(of(now), of(before)), isLoss),
  }))
}

function noteOf(now: number | null, before: number | null, show: (value: number | null) => string): string {
  const changed = change(now, before)
  if (changed === null) return `${show(before)} the week before`
  const size = Math.abs(changed * 100).toFixed(1)
  const sign = Number(size) === 0 ? '' : changed > 0 ? '+' : '−'
  return `${sign}${size}% against the week before (${show(before)})`
}

function toneOf(changed: number | null, isLoss: boolean): MailItem['tone'] {
  if (changed === null || changed === 0) return 'neutral'
  return changed > 0 === isLoss ? 'neutral' : 'good'
}

function productItems({ products }: Weeks, letter: WeeklyMailInput): MailItem[] {
  return products.map(({ name, abandonedCount, recoveryRate, revenueLost }) => ({
    title: clipped(name),
    url: addressOf(letter),
    note: `Left in ${cartsOf(abandonedCount, 'cart')}, ${percentOf(recoveryRate)} recovered`,
    text: `${moneyOf(revenueLost, letter.store.currency)} not bought by now.`,
    tone: 'neutral',
  }))
}

const MOST_LETTERS = 80

/** Store names on one line, truncated. */
function clipped(name: string): string {
  const line = name.replace(/\s+/g, ' ').trim()
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1)}…` : line
}

const moneyOf = (amount: number, currency: string) => amount.toLocaleString('en-US', { style: 'currency', currency })
const countOf = (count: number) => count.toLocaleString('en-US')
const cartsOf = (count: number, noun: string) => `${countOf(count)} ${noun}${count === 1 ? '' : 's'}`
const percentOf = (fraction: number | null) => (fraction === null ? '–' : `${(fraction * 100).toFixed(2)}%`)

const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' })
const dayOf = (day: string) => DAY.format(Date.parse(day))
