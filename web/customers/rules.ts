import type { CustomerSort, CustomerView } from '../../shared/customers.ts'
import type { LedgerEntry } from '../../shared/ledger.ts'
import { listAddress, type Paged } from '../ui/listQuery.ts'

// The list's address, and how a customer is named. Pure.

/** Empty: both. */
export type Kind = 'yes' | 'no' | ''

/** Which customers; the rest of a query is their order and page. */
export interface ListFilter {
  search?: string
  registered?: Kind
}

export type ListQuery = ListFilter & Paged<CustomerSort>

/** The list's address; nonsense in it counts as not given. */
export const customersAddress = listAddress<ListFilter, CustomerSort>({
  filters: ['search', 'registered'],
  readFilter: (search) => {
    const [text, registered] = [search.get('search'), search.get('registered')]
    return {
      ...(text && { search: text.slice(0, 200) }),
      ...((registered === 'yes' || registered === 'no') && { registered }),
    }
  },
  sorts: ['since', 'name', 'email', 'phone', 'company', 'registered', 'last_login'],
  largestFirst: ['since', 'registered', 'last_login'],
})

/** The part of a query that an export is given. */
export const filterOf = ({ search, registered }: ListFilter) => ({
  ...(search && { search }),
  ...(registered && { registered }),
})

/** B 2: blanks are shown so. */
export const BLANK = '-'

type Named = Pick<CustomerView, 'first_name' | 'last_name'>

export const nameOf = ({ first_name, last_name }: Named): string =>
  [first_name, last_name].filter(Boolean).join(' ') || BLANK

/** Where something must be said of whoever has no name. */
export const titleOf = (customer: Named & Pick<CustomerView, 'customer_email' | 'phone'>): string => {
  const name = nameOf(customer)
  return name === BLANK ? (customer.customer_email ?? customer.phone ?? 'Customer') : name
}

/** What holds of each address and channel now: its newest entry that counts, for entries that come newest first. */
export function standingOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const standing = new Map<string, LedgerEntry>()
  for (const entry of entries) {
    const key = `${entry.channel}:${entry.person}`
    if (entry.standing === 'stands' && !standing.has(key)) standing.set(key, entry)
  }
  return [...standing.values()]
}
