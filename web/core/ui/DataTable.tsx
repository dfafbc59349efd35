import { Checkbox, Table } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import type { MouseEvent, ReactNode } from 'react'
import type { Order } from './listQuery.ts'

export interface DataColumn<Row, Sort extends string = never> {
  id: string
  label: string
  /** Short heading. */
  head?: string
  sort: Sort | null
  isNumber?: boolean
  /** Takes the remaining width and truncates; the full text is in the tooltip. */
  shrinks?: (row: Row) => string | null
  cell: (row: Row) => ReactNode
}

export interface Sorting<Sort extends string> {
  sort: Sort
  order: Order
  onSort: (column: Sort) => void
  /** Orders without a column, such as newest first; offered in the card layout. */
  extraSorts?: readonly { sort: Sort; label: string }[]
}

export interface RowSelection<Row> {
  isSelected: (row: Row) => boolean
  onSelect: (rows: Row[], isSelected: boolean) => void
  /** "Select all carts on this page" */
  allLabel: string
  labelOf: (row: Row) => string
}

export interface DataRows<Row, Sort extends string> {
  rows: Row[]
  getKey: (row: Row) => string
  sorting?: Sorting<Sort>
  selection?: RowSelection<Row>
  /** Click anywhere in the row. One cell has the button or link for keyboard and screen readers. */
  onOpen?: (row: Row) => void
}

interface Props<Row, Sort extends string> extends DataRows<Row, Sort> {
  /** Accessible name; the table scrolls sideways if it does not fit. */
  label: string
  columns: readonly DataColumn<Row, Sort>[]
  minWidth: number
  className?: string
  /** Content of the last column. */
  actions?: (row: Row) => ReactNode
}

export function DataTable<Row, Sort extends string = never>(props: Props<Row, Sort>) {
  const { rows, getKey, columns, label, minWidth, sorting, selection, actions, className = '' } = props
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': label } }}
    >
      <Table className={`rows ${className}`} verticalSpacing={7} horizontalSpacing={9} fz="sm">
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th w={36}>
                <SelectAll rows={rows} selection={selection} size="xs" />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Heading key={column.id} column={column} sorting={sorting} />
            ))}
            {actions && <Table.Th className="number">Actions</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <DataRow key={getKey(row)} row={row} table={props} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function DataRow<Row, Sort extends string>({ row, table }: { row: Row; table: Props<Row, Sort> }) {
  const { columns, selection, onOpen, actions } = table
  const open = (event: MouseEvent) => {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input, label, [role=menu]')
    if (!isControl && !getSelection()?.toString()) onOpen?.(row)
  }
  return (
    <Table.Tr
      {...(onOpen && { 'data-open': true, onClick: open })}
      data-selected={selection?.isSelected(row) || undefined}
    >
      {selection && (
        <Table.Td>
          <SelectRow row={row} selection={selection} size="xs" />
        </Table.Td>
      )}
      {columns.map((column) => (
        <Table.Td key={column.id} {...buildAttributes(column, row)}>
          {column.cell(row)}
        </Table.Td>
      ))}
      {actions && <Table.Td>{actions(row)}</Table.Td>}
    </Table.Tr>
  )
}

function buildAttributes<Row>({ isNumber, shrinks }: Pick<DataColumn<Row, string>, 'isNumber' | 'shrinks'>, row: Row) {
  if (!shrinks) return isNumber ? { className: 'number' } : {}
  const title = shrinks(row)
  return { className: 'shrinks', ...(title && { title }) }
}

interface HeadingProps<Row, Sort extends string> {
  column: DataColumn<Row, Sort>
  sorting: Sorting<Sort> | undefined
}

function Heading<Row, Sort extends string>({ column, sorting }: HeadingProps<Row, Sort>) {
  const { sort, label, head, isNumber } = column
  const className = isNumber && { className: 'number' }
  if (sort === null || !sorting) {
    return (
      <Table.Th {...className} {...(head && { title: label })}>
        {head ?? label}
      </Table.Th>
    )
  }
  const isActive = sorting.sort === sort
  const Arrow = !isActive ? IconArrowsSort : sorting.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th {...className} {...(isActive && { 'aria-sort': sorting.order === 'asc' ? 'ascending' : 'descending' })}>
      <button type="button" className="sort" data-active={isActive || undefined} onClick={() => sorting.onSort(sort)}>
        {label}
        <Arrow size={14} aria-hidden />
      </button>
    </Table.Th>
  )
}

interface SelectProps<Row> {
  selection: RowSelection<Row>
  size?: string
}

/** Checkbox for all rows of the page. */
export function SelectAll<Row>({ rows, selection, size = 'sm' }: SelectProps<Row> & { rows: Row[] }) {
  const selected = rows.filter(selection.isSelected).length
  return (
    <Checkbox
      size={size}
      aria-label={selection.allLabel}
      checked={selected === rows.length}
      indeterminate={selected > 0 && selected < rows.length}
      onChange={(event) => selection.onSelect(rows, event.currentTarget.checked)}
    />
  )
}

export const SelectRow = <Row,>({
  row,
  selection,
  size = 'sm',
  mt = 0,
}: SelectProps<Row> & { row: Row; mt?: number }) => (
  <Checkbox
    mt={mt}
    size={size}
    aria-label={selection.labelOf(row)}
    checked={selection.isSelected(row)}
    onChange={(event) => selection.onSelect([row], event.currentTarget.checked)}
  />
)
