import type { CustomerSort, CustomerView } from '../../../shared/marketing/customers.ts'
import type { LedgerEntry } from '../../../shared/marketing/ledger.ts'
import { createListAddress, type Paged } from '../../core/ui/listQuery.ts'

// Address of the customer list, and a customer's display name. Pure.

/** Empty: both. */
export type Kind = 'yes' | 'no' | ''

/** Filters; the rest of a query is order and page. */
export interface ListFilter {
  search?: string
  registered?: Kind
}

export type ListQuery = ListFilter & Paged<CustomerSort>

/** Parses the list's address; invalid values count as not given. */
export const customersAddress = createListAddress<ListFilter, CustomerSort>({
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

/** Query parameters of an export. */
export const toFilterParams = ({ search, registered }: ListFilter) => ({
  ...(search && { search }),
  ...(registered && { registered }),
})

/** B 2: placeholder for blanks. */
export const BLANK = '-'

type CustomerName = Pick<CustomerView, 'first_name' | 'last_name'>

export const formatName = ({ first_name, last_name }: CustomerName): string =>
  [first_name, last_name].filter(Boolean).join(' ') || BLANK

/** Fallback for customers without a name. */
export const formatTitle = (customer: CustomerName & Pick<CustomerView, 'customer_email' | 'phone'>): string => {
  const name = formatName(customer)
  return name === BLANK ? (customer.customer_email ?? customer.phone ?? 'Customer') : name
}

/** Current consent of each address and channel: its newest entry that counts. Entries come newest first. */
export function findCurrentConsents(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const current = new Map<string, LedgerEntry>()
  for (const entry of entries) {
    const key = `${entry.channel}:${entry.person}`
    if (entry.standing === 'stands' && !current.has(key)) current.set(key, entry)
  }
  return [...current.values()]
}
