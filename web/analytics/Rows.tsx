import { Anchor, Button, Table, Text, Tooltip } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { Link } from 'react-router'
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

interface BlockProps extends Sheet {
  /** Said where there are no rows. */
  nothing: string
  /** Where the carts behind each row are listed. */
  links?: readonly string[]
}

export function RowsBlock({ nothing, links, ...sheet }: BlockProps) {
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
      <Rows {...{ head, rows, links }} />
    </Block>
  )
}

function Rows({ head, rows, links }: Pick<Sheet, 'head' | 'rows'> & { links: BlockProps['links'] | undefined }) {
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
          {rows.map(([name, ...cells], row) => (
            <Table.Tr key={name!.shown}>
              <Table.Th scope="row" fw={500}>
                {links ? (
                  <Anchor component={Link} to={links[row]!} inherit>
                    {name!.shown}
                  </Anchor>
                ) : (
                  name!.shown
                )}
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
