import { Anchor, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatPercent } from '../../../shared/core/percent.ts'
import {
  type AnalyticsRange,
  type AnalyticsReply,
  type FunnelChannel,
  funnelChannels,
  rangeDays,
} from '../../../shared/insights/analytics.ts'
import { useScope } from '../../core/access/scope.ts'
import { formatCount } from '../../core/ui/format.ts'
import { Bar, Block, Term } from './parts.tsx'
import { buildStages } from './rules.ts'

const names: Record<FunnelChannel, string> = {
  all: 'All channels',
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'Push',
}

interface Props {
  figures: AnalyticsReply
  range: AnalyticsRange
}

export function FunnelBlock({ figures, range }: Props) {
  const { isAll } = useScope()
  const [channel, setChannel] = useState<FunnelChannel>('email')
  const stages = buildStages(figures.funnels[channel], channel)
  const channels = funnelChannels.filter(
    (each) => each === 'all' || each === 'email' || figures.funnels[each].emailsSent > 0,
  )
  return (
    <Block
      title="Conversion Funnel"
      tools={
        <NativeSelect
          size="xs"
          aria-label="Channel"
          data={channels.map((value) => ({ value, label: names[value] }))}
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value as FunnelChannel)}
        />
      }
    >
      <ol className="funnel">
        {stages.map(({ label, count, width, share, definition, filter }) => (
          <li key={label}>
            <Term label={label} definition={definition} />
            <span className="funnel-count">
              <strong>{formatCount(count)}</strong>
              <span className="fact-note">{formatPercent(share)}</span>
              {filter && count > 0 && !isAll && (
                <>
                  {' '}
                  <Anchor
                    component={Link}
                    to={`/carts?${new URLSearchParams({ stage: channel === 'all' ? filter : `${filter}:${channel}`, days: String(rangeDays[range]) })}`}
                    fz="xs"
                    underline="always"
                    aria-label={`Carts: ${label}`}
                  >
                    Carts
                  </Anchor>
                </>
              )}
            </span>
            <Bar width={width} />
          </li>
        ))}
      </ol>
    </Block>
  )
}
