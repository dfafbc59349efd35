import { useState } from 'react'

// Columns beyond the specification's, which can be hidden (area decision 49).

export type AddedColumn = 'audience' | 'sent' | 'revenue' | 'next'

export const addedColumns: readonly { id: AddedColumn; label: string }[] = [
  { id: 'audience', label: 'Audience' },
  { id: 'sent', label: 'Sent' },
  { id: 'revenue', label: 'Revenue' },
  { id: 'next', label: 'Next run' },
]

const KEY = 'campaign-columns'
const all = addedColumns.map(({ id }) => id)

/** Reads the stored selection; by default all columns are shown. */
export const readColumns = (stored: string | null): AddedColumn[] =>
  stored === null ? all : all.filter((id) => stored.split(',').includes(id))

export function useAddedColumns() {
  const [shown, setShown] = useState(() => readColumns(localStorage.getItem(KEY)))
  const choose = (next: AddedColumn[]) => {
    localStorage.setItem(KEY, next.join(','))
    setShown(readColumns(next.join(',')))
  }
  return {
    shown: addedColumns.filter(({ id }) => shown.includes(id)),
    toggle: (id: AddedColumn) => choose(shown.includes(id) ? shown.filter((other) => other !== id) : [...shown, id]),
    reset: () => choose(all),
  }
}
