import type { ReactNode } from 'react'
import { DataCards } from './DataCards.tsx'
import { type DataColumn, type DataRows, DataTable } from './DataTable.tsx'
import { Facts } from './Facts.tsx'
import { useIsWide } from './useListQuery.ts'

interface Props<Row, Sort extends string> extends DataRows<Row, Sort> {
  label: string
  columns: readonly DataColumn<Row, Sort>[]
  minWidth?: number
  className?: string
  actions?: (row: Row) => ReactNode
  /** Renders a row as a card with its actions; by default one line per column. */
  card?: (row: Row) => ReactNode
}

/** A table that becomes cards on a phone. */
export function DataList<Row, Sort extends string = never>({ minWidth = 560, card, ...list }: Props<Row, Sort>) {
  const { columns, actions } = list
  if (useIsWide()) return <DataTable {...list} minWidth={minWidth} />
  const lines = (row: Row) => (
    <>
      <Facts entries={columns.map(({ label, cell }) => [label, cell(row)])} />
      {actions?.(row)}
    </>
  )
  return <DataCards {...list} card={card ?? lines} />
}
