import { Progress, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { readDemoPast } from '../../shared/instance.ts'
import { useMe } from '../access/queries.ts'
import { call } from '../api.ts'
import { Empty } from '../ui/Empty.tsx'
import { LoadingList } from '../ui/Loading.tsx'

const AGAIN_MS = 1_000

/** Stands where a screen is empty: the demo says that its past is on its way. Everything else is empty as `children` say. */
export function UntilDemoPast({ children }: { children: ReactNode }) {
  const past = useDemoPast()
  if (past.isLoading) {
    return (
      <div className="demo-past-asked">
        <LoadingList count={4} />
      </div>
    )
  }
  return past.data?.isBeingWritten ? <BeingWritten percent={past.data.percent} /> : children
}

/** Asked only while somebody looks at a screen with nothing on it, and only in the demo. */
function useDemoPast() {
  const queries = useQueryClient()
  const isDemo = useMe()?.isDemo === true
  const past = useQuery({
    queryKey: ['demo-past'],
    queryFn: ({ signal }) => call(readDemoPast, { signal }),
    enabled: isDemo,
    refetchInterval: ({ state }) => (state.data?.isBeingWritten ? AGAIN_MS : false),
  })
  const isBeingWritten = past.data?.isBeingWritten === true
  const wasBeingWritten = useRef(false)
  useEffect(() => {
    if (wasBeingWritten.current && !isBeingWritten) void queries.invalidateQueries()
    wasBeingWritten.current = isBeingWritten
  }, [isBeingWritten, queries])
  return past
}

function BeingWritten({ percent }: { percent: number | null }) {
  return (
    <Empty
      icon={IconHourglass}
      title="Your demo’s past is being written"
      text="Ninety days of carts, orders and messages. It takes about a minute, and this page fills by itself."
    >
      <div className="demo-past">
        <Progress value={percent ?? 0} aria-label="Past that is written" />
        <Text fz="sm" c="dimmed" mt={6} aria-hidden>
          {percent ?? 0}%
        </Text>
      </div>
    </Empty>
  )
}
