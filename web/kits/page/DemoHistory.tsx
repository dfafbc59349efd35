import { Progress, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { readDemoPast } from '../../../shared/workspace/instance.ts'
import { meQuery } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'

const AGAIN_MS = 1_000

/** Empty state in the demo: its history is still being written. Outside the demo it shows `children`. */
export function DemoHistoryGate({ children }: { children: ReactNode }) {
  const past = useDemoHistory()
  if (past.isLoading) {
    return (
      <div className="demo-past-asked">
        <LoadingList count={4} />
      </div>
    )
  }
  return past.data?.isBeingWritten ? <BeingWritten percent={past.data.percent} /> : children
}

/** In the demo's strip: progress of writing its history, then `fallback`. */
export function DemoProgress({ fallback = null }: { fallback?: ReactNode }) {
  const { data } = useDemoHistory()
  useRefetchWhenWritten(data?.isBeingWritten === true)
  if (!data) return null
  if (!data.isBeingWritten) return fallback
  return <span className="tabular">Sample data: {data.percent ?? 0}% ready. You can start now.</span>
}

/** Fetched only in the demo. */
function useDemoHistory() {
  const me = useQuery(meQuery)
  const isDemo = me.data?.isDemo === true
  const past = useQuery({
    queryKey: ['demo-past'],
    queryFn: ({ signal }) => call(readDemoPast, { signal }),
    enabled: isDemo,
    refetchInterval: ({ state }) => (state.data?.isBeingWritten ? AGAIN_MS : false),
  })
  return { data: past.data, isLoading: me.isLoading || past.isLoading }
}

/** Refetches everything once the history is complete. */
function useRefetchWhenWritten(isBeingWritten: boolean) {
  const queries = useQueryClient()
  const wasBeingWritten = useRef(false)
  useEffect(() => {
    if (wasBeingWritten.current && !isBeingWritten) void queries.invalidateQueries()
    wasBeingWritten.current = isBeingWritten
  }, [isBeingWritten, queries])
}

function BeingWritten({ percent }: { percent: number | null }) {
  return (
    <Empty
      icon={IconHourglass}
      title="Setting up your demo"
      text="Creating 90 days of carts, orders and messages. This takes about a minute, and the page updates automatically."
    >
      <div className="demo-past">
        <Progress value={percent ?? 0} aria-label="Demo setup progress" />
        <Text fz="sm" c="dimmed" mt={6} aria-hidden>
          {percent ?? 0}%
        </Text>
      </div>
    </Empty>
  )
}
