import '../../kits/carts/carts.css'
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { AudienceCount as Count } from '../../../shared/marketing/audience.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { FixLink } from '../../kits/manual-sends/EligibilityView.tsx'
import { ControlGroupRuns } from '../lift/ControlGroupRuns.tsx'
import type { useAudienceCount } from './queries.ts'

/** Warn if more than this percentage of the audience has not engaged for months. */
const QUIET_PERCENT = 20

/** Audience size, how many would get the message now, and why the others would not. */
export function AudienceCount({ count }: { count: ReturnType<typeof useAudienceCount> }) {
  const { data, error, refetch, isPlaceholderData } = count
  if (!data) {
    if (!error) return <LoadingList count={1} />
    return <Failed title="The recipients could not be counted" error={error} onRetry={() => refetch()} />
  }
  return (
    <Stack gap="sm" aria-busy={isPlaceholderData}>
      <Notice tone={data.eligible === 0 ? 'warn' : 'good'} isLive title={summarize(data)}>
        {data.judged !== null && <>Counted among the newest {formatCount(data.judged)} of them.</>}
      </Notice>
      <Reasons reasons={data.reasons} />
      <ControlGroupRuns />
      {data.price && <Price price={data.price} />}
      <Warnings count={data} />
    </Stack>
  )
}

export const Reasons = ({ reasons }: Pick<Count, 'reasons'>) =>
  reasons.length > 0 && (
    <ul className="reasons" aria-label="Not reachable now, by reason">
      {reasons.map(({ reason, explanation, count }) => (
        <li key={reason}>
          <Group justify="space-between" wrap="nowrap" gap="sm" align="baseline">
            <Text fz="sm">
              {explanation}
              <FixLink reason={reason} />
            </Text>
            <Text fz="sm" fw={600} className="tabular">
              {formatCount(count)}
            </Text>
          </Group>
        </li>
      ))}
    </ul>
  )

/** An estimate: names and totals, and so SMS segments, differ from cart to cart. */
function Price({ price }: { price: NonNullable<Count['price']> }) {
  const { people, sampled, segments, total, budgetLeft, covered } = price
  const waiting = covered === null ? 0 : people - covered
  return (
    <>
      <Text fz="sm" role="note" aria-label="Estimated price">
        About <Money {...total} /> for {formatCount(people)}: {formatCounted(segments, 'segment')}, estimated from{' '}
        {formatCounted(sampled, 'message')} for real carts.
        {budgetLeft && (
          <>
            {' '}
            Remaining budget this month: <Money {...budgetLeft} />.
          </>
        )}
      </Text>
      {waiting > 0 && (
        <Notice tone="warn">
          Your SMS and WhatsApp budget covers {formatCount(covered!)} of them. About {formatCount(waiting)} would wait
          for a larger budget or the next month. Expired messages are not sent.{' '}
          <Anchor component={Link} to="/settings/sending" inherit underline="always">
            Change the budget
          </Anchor>
        </Notice>
      )}
    </>
  )
}

function Warnings({ count: { left: remaining, eligible, quietPercent, total } }: { count: Count }) {
  const waiting = remaining === null ? 0 : Math.max(0, eligible - remaining)
  return (
    <>
      {waiting > 0 && (
        <Notice tone="warn">
          Your plan has {formatCounted(remaining!, 'message')} left this month, so {formatCount(waiting)} would wait.{' '}
          <Anchor component={Link} to="/pricing" inherit underline="always">
            See plans
          </Anchor>
        </Notice>
      )}
      {quietPercent > QUIET_PERCENT && total > 0 && (
        <Notice tone="warn">
          {quietPercent >= 99.5 ? 'None' : `${Math.round(100 - quietPercent)}%`} of them clicked or bought in the last
          90 days. Mailing inactive people can hurt deliverability.
        </Notice>
      )}
    </>
  )
}

function summarize({ total, eligible }: Count): string {
  if (total === 0) return 'No one matches now.'
  return `${formatCounted(total, 'customer')}, ${formatCount(eligible)} would get it now.`
}
