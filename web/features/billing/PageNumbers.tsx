import { Button, Group, Text } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { formatCounted } from '../../core/ui/format.ts'
import { listPageNumbers } from './detail-copy.ts'

/** The page is in the address: ?payments=2 is page two; null means closed. */
export function usePageParam(name: string) {
  const [search, setSearch] = useSearchParams()
  const requested = search.get(name)
  const put = (page: number | null, replace = page === null) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        if (page) next.set(name, String(page))
        else next.delete(name)
        return next
      },
      { preventScrollReset: true, replace },
    )
  return { page: requested === null ? null : /^[1-9]\d{0,5}$/.test(requested) ? Number(requested) : 1, put }
}

interface Props {
  /** Of one row. */
  noun: string
  page: number
  pages: number
  limit: number
  total: number
  /** The requested page, which may still be loading. */
  requestedPage: number
  onPage: (page: number) => void
}

/** At most five page numbers (A 9). */
export const PageNumbers = ({ noun, page, pages, total, requestedPage, onPage }: Props) => (
  <Group
    component="nav"
    aria-label={`Pages of ${formatCounted(2, noun).slice(2)}`}
    justify="space-between"
    gap="sm"
    className="list-foot"
  >
    <Text fz="sm" c="dimmed" className="tabular">
      Page {page} of {pages}, {formatCounted(total, noun)}
    </Text>
    <Group gap={6}>
      {listPageNumbers(Math.min(requestedPage, pages), pages).map((number) => (
        <Button
          key={number}
          size="xs"
          variant={number === requestedPage ? 'light' : 'default'}
          className="page-number"
          aria-label={`Page ${number}`}
          {...(number === requestedPage && { 'aria-current': 'page' })}
          onClick={() => onPage(number)}
        >
          {number}
        </Button>
      ))}
    </Group>
  </Group>
)
