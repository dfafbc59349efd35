import { Button, Group, Text } from '@mantine/core'
import { showingText } from './rules.ts'

interface Props {
  page: number
  limit: number
  total: number
  pages: number
  onPage: (page: number) => void
}

export function Pages({ page, limit, total, pages, onPage }: Props) {
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
        {showingText(page, limit, total)}
      </Text>
      <Group gap="sm">
        <Button variant="default" size="xs" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Text fz="sm" className="tabular">
          Page {page} of {pages}
        </Text>
        <Button variant="default" size="xs" disabled={page >= pages} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </Group>
    </Group>
  )
}
