import type { AudienceFilters } from '../../../shared/marketing/audience.ts'
import type { CustomerView } from '../../../shared/marketing/customers.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'

// Selection of customers for a discount mail. Pure.

export interface Person {
  id: string
  name: string
}

export interface PeopleFilter {
  search: string
  abandonedOnly: boolean
  /** Filter for customers with an abandoned cart. */
  filters?: AudienceFilters | undefined
  /** Saved audience to choose from. */
  audienceId?: string | undefined
  /** Only customers reachable by this channel. */
  channel?: 'email' | 'sms' | 'whatsapp' | undefined
}

/** Single customers, or all matches except some. */
export type RecipientChoice = { kind: 'some'; people: readonly Person[] } | { kind: 'all'; except: readonly string[] }

export const noCustomers: RecipientChoice = { kind: 'some', people: [] }
export const allCustomers: RecipientChoice = { kind: 'all', except: [] }

export const isChosen = (chosen: RecipientChoice, id: string): boolean =>
  chosen.kind === 'all' ? !chosen.except.includes(id) : chosen.people.some((person) => person.id === id)

export function toggle(chosen: RecipientChoice, person: Person): RecipientChoice {
  if (chosen.kind === 'all') {
    const { except } = chosen
    const isBack = except.includes(person.id)
    return { kind: 'all', except: isBack ? except.filter((id) => id !== person.id) : [...except, person.id] }
  }
  const others = chosen.people.filter(({ id }) => id !== person.id)
  return { kind: 'some', people: others.length < chosen.people.length ? others : [...others, person] }
}

/** After a filter change, "all matches" is cleared: the user has not chosen the new matches. */
export const clearAll = (chosen: RecipientChoice): RecipientChoice => (chosen.kind === 'all' ? noCustomers : chosen)

export const countChosen = (chosen: RecipientChoice, total: number): number =>
  chosen.kind === 'all' ? Math.max(0, total - chosen.except.length) : chosen.people.length

/** Recipients as text. `isAtLeast`: more match than are counted. */
export const formatCustomers = (count: number, isAtLeast: boolean): string =>
  isAtLeast ? `${formatCount(count)}+ customers` : formatCounted(count, 'customer')

/** Button label with the number of eligible recipients, if known. */
export function formatSendLabel(
  who: { total: number; eligible: readonly string[] } | null,
  count: number,
  isAtLeast: boolean,
): string {
  if (!who) return `Send to ${formatCustomers(count, isAtLeast)}`
  const { total, eligible } = who
  if (eligible.length === total) return `Send to ${formatCustomers(total, false)}`
  return `Send to ${formatCount(eligible.length)} of ${formatCount(total)}`
}

/** Request for the selection; null if empty. */
export function toRecipients(chosen: RecipientChoice, { search, abandonedOnly, filters }: PeopleFilter) {
  const of = { search, abandonedOnly, ...(abandonedOnly && filters && { filters }) }
  if (chosen.kind === 'all') return { matching: { ...of, except: [...chosen.except] } }
  return chosen.people.length > 0 ? { customers: chosen.people.map(({ id }) => id) } : null
}

export function toPerson({ _id, first_name, last_name, customer_email, phone }: CustomerView): Person {
  const name = [first_name, last_name].filter(Boolean).join(' ')
  return { id: _id, name: name || customer_email || phone || 'Guest' }
}
