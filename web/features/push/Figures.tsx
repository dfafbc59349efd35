import { Button, Skeleton } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { Outcome } from './parts.tsx'
import { usePushStats } from './queries.ts'
import { type PushActionResult, succeeded, toFailure } from './rules.ts'

type Stats = NonNullable<ReturnType<typeof usePushStats>['data']>['stats']

interface Figure {
  name: string
  value: (stats: Stats) => string
}

/** A 2.9. */
export const customerFigures: readonly Figure[] = [
  { name: 'Total Customers', value: ({ totalCustomers }) => formatCount(totalCustomers) },
  { name: 'Subscribed', value: ({ subscribedCustomers }) => formatCount(subscribedCustomers) },
  { name: 'Pending', value: ({ pendingCustomers }) => formatCount(pendingCustomers) },
  { name: 'Conversion', value: ({ conversionRate }) => `${formatCount(conversionRate)}%` },
]

/** A 2.10. */
export const sentFigures: readonly Figure[] = [
  { name: 'Total Subscribers', value: ({ subscribers }) => formatCount(subscribers) },
  { name: 'Notifications Sent', value: ({ notifications }) => formatCount(notifications) },
  { name: 'Click Rate', value: ({ clickRate }) => `${formatCount(clickRate)}%` },
]

interface Props {
  /** null: no store is connected. */
  storeId: string | null
  figures: readonly Figure[]
  /** A 4.5: without a store URL, or during another action. */
  isDisabled: boolean
}

export function Figures({ storeId, figures, isDisabled }: Props) {
  const stats = usePushStats(storeId)
  const [result, setResult] = useState<PushActionResult | null>(null)
  const load = async () => {
    const answer = await stats.refetch()
    setResult(answer.error ? toFailure(answer.error) : succeeded(pushTexts.statsLoaded))
  }
  if (stats.error && !stats.data)
    return <Failed title="The statistics could not be loaded" error={stats.error} onRetry={load} />
  return (
    <>
      <dl className="push-figures">
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="tabular">
              {stats.data ? value(stats.data.stats) : storeId ? <Skeleton height={28} width={60} /> : '–'}
            </dd>
          </div>
        ))}
      </dl>
      <div className="push-ways">
        <Button
          variant="default"
          size="sm"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={stats.isFetching}
          disabled={isDisabled || storeId === null}
          onClick={load}
        >
          Load store stats
        </Button>
      </div>
      <Outcome result={result} />
    </>
  )
}
