import { Button, Table, Text, Tooltip } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { saveCsv } from '../ui/saveCsv.ts'
import { Block } from './parts.tsx'
import { type Cell, fileOf, linesOf } from './table.ts'

export interface Sheet {
  title: string
  days: { firstDay: string; lastDay: string }
  head: readonly string[]
  /** The first cell names the row. */
  rows: readonly (readonly Cell[])[]
}

/** What is shown of a table as a CSV file (decision 100). */
export const SaveCsv = ({ title, days, head, rows }: Sheet) => (
  <Tooltip label="Save as CSV">
    <Button
      size="xs"
      px={8}
      variant="default"
      aria-label={`Save as CSV: ${title}`}
      onClick={() => saveCsv(fileOf(title, days), linesOf(head, rows))}
    >
      <IconFileTypeCsv size={16} aria-hidden />
    </Button>
  </Tooltip>
)

/** `nothing` is said where there are no rows. */
export function RowsBlock({ nothing, ...sheet }: Sheet & { nothing: string }) {
  const { title, head, rows } = sheet
  if (rows.length === 0) {
    return (
      <Block title={title}>
        <Text c="dimmed">{nothing}</Text>
      </Block>
    )
  }
  return (
    <Block title={title} tools={<SaveCsv {...sheet} />}>
      <Rows {...{ head, rows }} />
    </Block>
  )
}

function Rows({ head, rows }: Pick<Sheet, 'head' | 'rows'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="product-table" tabIndex={0} aria-label={head[0]!}>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {head.map((label, place) => (
              <Table.Th key={label} scope="col" {...(place > 0 && { className: 'number' })}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name, ...cells]) => (
            <Table.Tr key={name!.shown}>
              <Table.Th scope="row" fw={500}>
                {name!.shown}
              </Table.Th>
              {cells.map((cell, place) => (
                <Table.Td key={head[place + 1]!} className="number">
                  {cell.shown}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
