import { Group, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { type DataColumn, type DataRows, SelectAll, SelectRow, type Sorting } from './DataTable.tsx'

interface Props<Row, Sort extends string> extends DataRows<Row, Sort> {
  /** Sortable columns. */
  columns: readonly Pick<DataColumn<Row, Sort>, 'sort' | 'label'>[]
  card: (row: Row) => ReactNode
}

/** Table rows as cards, for phones. */
export function DataCards<Row, Sort extends string = never>(props: Props<Row, Sort>) {
  const { rows, getKey, columns, sorting, selection, card } = props
  return (
    <div>
      {(selection || sorting) && (
        <Group px="md" pb="md" gap="sm" wrap="nowrap">
          {selection && <SelectAll rows={rows} selection={selection} />}
          {sorting && <SortFields columns={columns} {...sorting} />}
        </Group>
      )}
      <ul className="list-cards">
        {rows.map((row) => (
          <li key={getKey(row)} className="list-card" data-selected={selection?.isSelected(row) || undefined}>
            {selection ? (
              <Group wrap="nowrap" gap="sm" align="flex-start">
                <SelectRow row={row} selection={selection} mt={2} />
                <div style={{ flex: 1, minWidth: 0 }}>{card(row)}</div>
              </Group>
            ) : (
              card(row)
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

type SortProps<Row, Sort extends string> = Pick<Props<Row, Sort>, 'columns'> & Sorting<Sort>

function SortFields<Row, Sort extends string>({ columns, sort, order, onSort, extraSorts = [] }: SortProps<Row, Sort>) {
  return (
    <>
      <NativeSelect
        style={{ flex: 1 }}
        aria-label="Sort by"
        data={[...extraSorts, ...columns].flatMap((column) =>
          column.sort ? [{ value: column.sort, label: column.label }] : [],
        )}
        value={sort}
        onChange={(event) => onSort(event.currentTarget.value as Sort)}
      />
      <NativeSelect
        aria-label="Order"
        data={[
          { value: 'desc', label: 'Descending' },
          { value: 'asc', label: 'Ascending' },
        ]}
        value={order}
        onChange={() => onSort(sort)}
      />
    </>
  )
}
