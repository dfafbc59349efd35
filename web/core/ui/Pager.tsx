import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { formatCount } from './format.ts'
import { describeShowing, PAGE_SIZE, PAGE_SIZES } from './listQuery.ts'

interface Props {
  /** The page shown. */
  page: number
  /** The requested page, which may still be loading; buttons count from it. */
  requestedPage: number
  limit: number
  total: number
  pages: number
  totalIsCapped?: boolean | undefined
  onPage: (page: number) => void
  onLimit: (limit: number) => void
}

/** Below a list: range shown, page size and page buttons. Renders nothing for a single short page. */
export function Pager({ totalIsCapped: isCapped = false, onLimit, ...props }: Props) {
  const { page, limit, total, pages } = props
  const rowsPerPage = total > PAGE_SIZE && <RowsPerPage limit={limit} onChange={onLimit} />
  if (pages <= 1) return rowsPerPage && <div className="list-foot">{rowsPerPage}</div>
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" gap="sm" className="list-foot">
      <Text fz="sm" c="dimmed" className="tabular">
        {describeShowing(page, limit, { total, isCapped })}
      </Text>
      {rowsPerPage}
      <PageButtons {...props} isCapped={isCapped} />
    </Group>
  )
}

interface ButtonsProps extends Pick<Props, 'page' | 'requestedPage' | 'pages' | 'onPage'> {
  isCapped?: boolean
  size?: string
  /** Name of the list, for screens with several. */
  noun?: string
}

export function PageButtons({ page, requestedPage, pages, onPage, isCapped = false, size = 'xs', noun }: ButtonsProps) {
  const of = noun ? ` ${noun}` : ''
  // Count from the request, because a quick second press may come before the first is rendered.
  const lastRequested = useRef(requestedPage)
  useEffect(() => {
    lastRequested.current = requestedPage
  }, [requestedPage])
  const goBy = (by: number) => {
    lastRequested.current = Math.min(Math.max(lastRequested.current + by, 1), pages)
    onPage(lastRequested.current)
  }
  return (
    <Group gap="sm">
      <Button variant="default" size={size} disabled={requestedPage <= 1} onClick={() => goBy(-1)}>
        Previous{of}
      </Button>
      <Text fz="sm" className="tabular">
        Page {formatCount(page)} of {formatCount(pages)}
        {isCapped && '+'}
      </Text>
      <Button variant="default" size={size} disabled={requestedPage >= pages} onClick={() => goBy(1)}>
        Next{of}
      </Button>
    </Group>
  )
}

function RowsPerPage({ limit, onChange }: { limit: number; onChange: (limit: number) => void }) {
  return (
    <NativeSelect
      size="xs"
      label="Rows per page"
      className="rows-per-page"
      data={PAGE_SIZES.map(String)}
      value={String(limit)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  )
}
