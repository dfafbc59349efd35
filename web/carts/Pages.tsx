import { Button, Group, Text } from '@mantine/core'
import { formatCount } from '../ui/format.ts'
import { showingText } from './rules.ts'

interface Props {
  /** What is shown. */
  page: number
  /** What was asked for, which may still be on its way: the buttons count from there. */
  wanted: number
  limit: number
  total: number
  pages: number
  totalIsCapped?: boolean | undefined
  onPage: (page: number) => void
}

export function Pages({ page, wanted, limit, total, pages, totalIsCapped: isCapped = false, onPage }: Props) {
  return (
    <Group
      component="nav"
      aria-label="Pages"
      justify="space-between"
      gap="sm"
      p="md"
      style={{ borderTop: '1px solid var(--rc-line)' }}
    >
      <Text fz="sm" c="dimmed" className="tabular">
        {showingText(page, limit, { total, isCapped })}
      </Text>
      <Group gap="sm">
        <Button variant="default" size="xs" disabled={wanted <= 1} onClick={() => onPage(wanted - 1)}>
          Previous
        </Button>
        <Text fz="sm" className="tabular">
          Page {formatCount(page)} of {formatCount(pages)}
          {isCapped && '+'}
        </Text>
        <Button variant="default" size="xs" disabled={wanted >= pages} onClick={() => onPage(wanted + 1)}>
          Next
        </Button>
      </Group>
    </Group>
  )
}
