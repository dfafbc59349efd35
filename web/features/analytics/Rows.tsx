import { Anchor, Button, Table, Tooltip } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatCount } from '../../core/ui/format.ts'
import { saveCsv } from '../../core/ui/saveCsv.ts'
import { Block, Term } from './parts.tsx'
import { buildFileName, buildLines, type Cell, type Column } from './table.ts'

export interface Sheet {
  title: string
  days: { firstDay: string; lastDay: string }
  head: readonly Column[]
  /** The first cell is the row header. */
  rows: readonly (readonly Cell[])[]
}

/** A table that exports all of its rows as CSV (decision 100). */
export const SaveCsv = ({ title, days, head, rows }: Sheet) => (
  <Tooltip label="Save as CSV">
    <Button
      size="xs"
      px={8}
      variant="default"
      aria-label={`Save as CSV: ${title}`}
      onClick={() => saveCsv(buildFileName(title, days), buildLines(head, rows))}
    >
      <IconFileTypeCsv size={16} aria-hidden />
    </Button>
  </Tooltip>
)

interface BlockProps extends Sheet {
  /** Link to the carts behind each row. */
  links?: readonly string[]
  /** Rows shown before "Show all". */
  most?: number
}

/** An empty table is not shown. */
export function RowsBlock({ links, most = Number.POSITIVE_INFINITY, ...sheet }: BlockProps) {
  const { title, head, rows } = sheet
  const { visible, button } = useFirstRows(rows, most)
  if (rows.length === 0) return null
  return (
    <Block title={title} tools={<SaveCsv {...sheet} />}>
      <Rows head={head} rows={visible} name={head[0]![0]} {...(links && { links })} />
      {button}
    </Block>
  )
}

/** Shows the first rows and a button for the rest. */
export function useFirstRows<Row>(rows: readonly Row[], most: number) {
  const [isAll, setAll] = useState(false)
  const button = rows.length > most && (
    <Button size="xs" variant="default" mt="sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
      {isAll ? `Show the first ${most}` : `Show all ${formatCount(rows.length)}`}
    </Button>
  )
  return { visible: isAll ? rows : rows.slice(0, most), button }
}

interface RowsProps extends Pick<Sheet, 'head' | 'rows'> {
  /** Table caption for screen readers. */
  name: string
  links?: readonly string[]
}

/** For flows and campaigns: there can be one campaign a week. */
export const MAX_ORIGINS = 20

/** Minimum width of a column; narrower screens scroll. */
const MIN_COLUMN_PX = 100

export function Rows({ head, rows, name: table, links }: RowsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="product-table" tabIndex={0} aria-label={table}>
      <Table fz="sm" verticalSpacing={6} miw={head.length * MIN_COLUMN_PX}>
        <Table.Thead>
          <Table.Tr>
            {head.map(([label, definition], place) => (
              <Table.Th key={label} scope="col" {...(place > 0 && { className: 'number' })}>
                {definition ? <Term label={label} definition={definition} /> : label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name, ...cells], row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two campaigns may have one name
            <Table.Tr key={row}>
              <Table.Th scope="row" fw={500}>
                {links ? (
                  <Anchor component={Link} to={links[row]!} inherit>
                    {name!.text}
                  </Anchor>
                ) : (
                  name!.text
                )}
              </Table.Th>
              {cells.map((cell, place) => (
                <Table.Td key={head[place + 1]![0]} className="number">
                  {cell.text}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
