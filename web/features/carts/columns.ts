import { useState } from 'react'
import { sortColumns } from '../../../shared/carts/carts.ts'
import type { SortColumn } from '../../kits/carts/rules.ts'

// Columns of the cart list (B 2) and the user's selection. Customer and actions are always shown.

export interface Column {
  id: SortColumn | 'window' | 'state'
  label: string
  /** Short table headings. */
  head?: string
  sort: SortColumn | null
  isNumber?: boolean
}

export const columns: readonly Column[] = [
  { id: 'customer', label: 'Customer', sort: 'customer' },
  { id: 'email', label: 'Email', sort: 'email' },
  { id: 'phone', label: 'Phone', sort: 'phone' },
  { id: 'items', label: 'Items', sort: 'items', isNumber: true },
  { id: 'value', label: 'Value', sort: 'value', isNumber: true },
  { id: 'timestamp', label: 'Abandoned', sort: 'timestamp' },
  { id: 'status', label: 'Status', sort: 'status' },
  { id: 'window', label: 'Recovery window', head: 'Window', sort: null },
  { id: 'state', label: 'State', sort: null },
]

export type ColumnId = Column['id']

/** Optional columns and the default selection: the specification's. */
export const optional = columns.filter(({ id }) => id !== 'customer')
const standard: readonly ColumnId[] = [...sortColumns, 'window']
const KEY = 'cart-columns'

/** Reads the stored selection; invalid values count as none. */
export function readColumns(stored: string | null): readonly ColumnId[] {
  if (stored === null) return standard
  const names = stored.split(',')
  return ['customer', ...optional.map(({ id }) => id).filter((id) => names.includes(id))]
}

export function useColumns() {
  const [visible, setVisible] = useState(() => readColumns(localStorage.getItem(KEY)))
  const choose = (next: readonly ColumnId[]) => {
    localStorage.setItem(KEY, next.join(','))
    setVisible(readColumns(next.join(',')))
  }
  return {
    visible: columns.filter(({ id }) => visible.includes(id)),
    toggle: (id: ColumnId) => choose(visible.includes(id) ? visible.filter((other) => other !== id) : [...visible, id]),
    reset: () => choose(standard),
  }
}
