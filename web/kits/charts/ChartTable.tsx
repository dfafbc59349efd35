import './charts.css'
import { Table } from '@mantine/core'
import type { Subject } from './chart-subject.ts'
import { type ChartData, sumDataset } from './datasets.ts'

interface Props {
  data: ChartData
  name: string
  column: string
  subject: Subject
}

/** The chart's numbers as a table, for screen readers. */
export function ChartTable({ data, name, column, subject }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="overview-table" tabIndex={0} aria-label={`${subject.name}, ${name}, as a table`}>
      <Table fz="sm" verticalSpacing={6} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{column}</Table.Th>
            {data.datasets.map(({ label }) => (
              <Table.Th key={label} scope="col" className="number">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.labels.map((label, index) => (
            // When clocks go back, an hour occurs twice.
            // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
            <Table.Tr key={index}>
              <Table.Th scope="row" fw={400}>
                {label}
              </Table.Th>
              {data.datasets.map((set) => (
                <Table.Td key={set.label} className="number">
                  {subject.format(set.data[index] ?? null)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {subject.measure !== 'rate' && (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">Total</Table.Th>
              {data.datasets.map((set) => (
                <Table.Th key={set.label} className="number">
                  {subject.format(sumDataset(set))}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </section>
  )
}
